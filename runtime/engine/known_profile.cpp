#include "runtime/engine/known_profile.h"

#include "jit/variant/recipes.h"
#include "runtime/cache/disk.h"
#include "runtime/codeobject/comgr_names.h"
#include "runtime/log/log.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace meld {
namespace {

constexpr std::string_view kAuto = "auto";
constexpr const char *kStale = "profile"; // one line, however many objects it is about

Result<profile::Profile> readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return fail(ErrorCode::notFound, "cannot be opened");
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return profile::parseProfile(text);
}

/// Bytes of machine code; 0 where the object does not say.
uint64_t codeSize(const CodeObject &object, const std::string &kernel) {
  const ElfSymbol *symbol = object.symbol(kernel);
  return symbol && symbol->defined() ? symbol->size : 0;
}

} // namespace

std::string profiledHash(ByteView codeObject) {
  const Bytes named = withoutComgrNames(codeObject);
  return KeyBuilder().add("profiled", named.empty() ? codeObject : ByteView(named)).finish().hex();
}

VersionWanted countedVersion(const std::string &kernel) {
  return {kernel, std::string(jit::markedRecipe.name)};
}

std::string profileFolder(const Settings &settings) {
  const std::string cache = DiskCache::chooseDirectory(
      settings.cacheDir, secure_getenv("XDG_CACHE_HOME"), secure_getenv("HOME"));
  return cache.empty() ? cache : cache + "/profiles";
}

KnownProfile::KnownProfile(const Settings &settings) : from_(settings.profile) {
  if (from_.empty())
    return;
  if (from_ == kAuto) {
    folder_ = profileFolder(settings);
    return;
  }
  if (auto read = readFile(from_)) {
    profile_ = std::move(*read);
    readable_ = true;
  } else {
    log::warning("MELD_PROFILE: " + from_ + ": " + read.error().message +
                 "; compiled as without a profile");
  }
}

std::string KnownProfile::of(ByteView codeObject) const {
  if (from_.empty() || (from_ == kAuto ? folder_.empty() : !readable_))
    return {};
  const std::string hash = profiledHash(codeObject);
  if (from_ != kAuto) {
    if (const profile::Object *object = profile_.find(hash))
      return profile::objectText(*object);
    log::warnOnce(kStale,
                  "MELD_PROFILE: " + from_ +
                      " knows nothing of a code object that is "
                      "loaded now, perhaps since it was compiled again: compiled as without a "
                      "profile");
    return {};
  }
  const std::string file = folder_ + "/" + hash + ".meldprof";
  const auto read = readFile(file);
  if (read)
    if (const profile::Object *object = read->find(hash))
      return profile::objectText(*object);
  if (!read && read.error().code != ErrorCode::notFound)
    log::warnOnce(kStale, "MELD_PROFILE: " + file + ": " + read.error().message +
                              "; compiled as without a profile");
  return {};
}

std::optional<std::set<std::string>> hotMinority(const CodeObject &object,
                                                 const profile::Object &profile) {
  std::set<std::string> hot;
  uint64_t hotBytes = 0, allBytes = 0;
  for (const KernelMetadata &kernel : object.metadata.kernels) {
    const uint64_t bytes = codeSize(object, kernel.name);
    if (!bytes)
      return std::nullopt;
    allBytes += bytes;
    const profile::Kernel *known = profile.find(kernel.name);
    if (known && !known->ran())
      continue;
    hot.insert(kernel.name);
    hotBytes += bytes;
  }
  // A replacement of the whole object compiles all of it.
  if (2 * hotBytes > allBytes)
    return std::nullopt;
  return hot;
}

} // namespace meld
