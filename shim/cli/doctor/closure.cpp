#include "shim/cli/doctor/closure.h"

#include <climits>
#include <cstdlib>
#include <deque>
#include <set>
#include <unistd.h>

namespace meld::doctor {
namespace {

std::string realPath(const std::string &path) {
  char out[PATH_MAX];
  return ::realpath(path.c_str(), out) ? out : std::string();
}

void replaceAll(std::string &text, const std::string &what, const std::string &with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

/// The dynamic string tokens of ld.so(8). $LIB has two meanings, by distribution; the file that is
/// there decides.
std::vector<std::string> expand(std::string folder, const std::string &origin) {
  for (const char *token : {"$ORIGIN", "${ORIGIN}"})
    replaceAll(folder, token, origin);
  for (const char *token : {"$PLATFORM", "${PLATFORM}"})
    replaceAll(folder, token, "x86_64");
  std::vector<std::string> out;
  for (const char *lib : {"lib/x86_64-linux-gnu", "lib64", "lib"}) {
    std::string one = folder;
    for (const char *token : {"$LIB", "${LIB}"})
      replaceAll(one, token, lib);
    if (out.empty() || one != out.back())
      out.push_back(std::move(one));
  }
  return out;
}

/// A list with colons (LD_LIBRARY_PATH: semicolons, too). An empty item is the current folder.
std::vector<std::string> folders(const std::string &list, const char *separators,
                                 const std::string &origin) {
  std::vector<std::string> out;
  if (list.empty())
    return out;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find_first_of(separators, at), list.size());
    const std::string item = list.substr(at, end - at);
    for (std::string &folder : expand(item.empty() ? "." : item, origin))
      out.push_back(std::move(folder));
    at = end + 1;
  }
  return out;
}

struct Object {
  std::string path;
  DynamicSection section;
  int loader = -1; ///< who asked for it first
};

class Search {
public:
  explicit Search(const Machine &machine) : libraryPath_(machine.variable("LD_LIBRARY_PATH")) {}

  int add(std::string path, DynamicSection section, int loader) {
    names_.insert(section.soname);
    objects_.push_back({std::move(path), std::move(section), loader});
    return int(objects_.size()) - 1;
  }
  bool isLoaded(const std::string &name) const { return names_.count(name); }
  void named(const std::string &name) { names_.insert(name); }
  const Object &object(int i) const { return objects_[i]; }
  size_t size() const { return objects_.size(); }
  int byPath(const std::string &path) const {
    for (size_t i = 0; i < objects_.size(); ++i)
      if (objects_[i].path == path)
        return int(i);
    return -1;
  }

  std::string find(const std::string &name, int loader) const {
    if (name.find('/') != std::string::npos)
      return usable(name);
    const Object &by = objects_[loader];
    // An object with RUNPATH makes the linker forget RPATH, its own and that of its loaders.
    if (by.section.runpath.empty())
      for (int i = loader; i >= 0; i = objects_[i].loader)
        if (std::string path =
                in(folders(objects_[i].section.rpath, ":", folderOf(objects_[i].path)), name);
            !path.empty())
          return path;
    const std::string origin = folderOf(objects_[0].path);
    if (std::string path = in(folders(libraryPath_, ":;", origin), name); !path.empty())
      return path;
    if (std::string path = in(folders(by.section.runpath, ":", folderOf(by.path)), name);
        !path.empty())
      return path;
    return usable(findLibrary(name, {}));
  }

private:
  /// The linker passes over files of other machines.
  static std::string usable(const std::string &path) {
    return !path.empty() && dynamicSection(path) ? realPath(path) : std::string();
  }
  static std::string in(const std::vector<std::string> &list, const std::string &name) {
    for (const std::string &folder : list)
      if (std::string path = usable(folder + "/" + name); !path.empty())
        return path;
    return {};
  }

  std::string libraryPath_;
  std::vector<Object> objects_; ///< the program first
  std::set<std::string> names_;
};

} // namespace

Result<Closure> closureOf(const Machine &machine, const std::string &program) {
  Closure closure;
  closure.section = MELD_TRY(dynamicSection(program));
  closure.program = realPath(program);
  Search search(machine);
  search.add(closure.program, closure.section, -1);

  struct Wanted {
    std::string name;
    int loader;
    bool preloaded;
  };
  std::deque<Wanted> queue;
  const std::string preload = machine.variable("LD_PRELOAD");
  for (size_t at = 0; at < preload.size();) {
    const size_t end = std::min(preload.find_first_of(": ", at), preload.size());
    if (end > at)
      queue.push_back({preload.substr(at, end - at), 0, true});
    at = end + 1;
  }
  for (const std::string &name : closure.section.needed)
    queue.push_back({name, 0, false});
  while (!queue.empty()) {
    const Wanted wanted = queue.front();
    queue.pop_front();
    if (search.isLoaded(wanted.name))
      continue;
    search.named(wanted.name);
    const std::string path = search.find(wanted.name, wanted.loader);
    const std::string by = wanted.preloaded ? "" : search.object(wanted.loader).path;
    if (path.empty()) {
      closure.files.push_back({wanted.name, "", by});
      continue;
    }
    if (search.byPath(path) >= 0)
      continue;
    auto section = dynamicSection(path);
    if (!section)
      continue; // find() has read it; it is gone now
    closure.files.push_back({wanted.name, path, by});
    const std::vector<std::string> needed = section->needed;
    const int object = search.add(path, std::move(*section), wanted.loader);
    for (const std::string &name : needed)
      queue.push_back({name, object, false});
  }
  return closure;
}

} // namespace meld::doctor
