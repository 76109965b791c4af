#include "jit/dumps.h"

#include "runtime/host/new_file.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>

using namespace llvm;

namespace meld::jit {

namespace {

std::string digest(StringRef text) {
  auto hash =
      SHA256::hash(ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
  return toHex(hash, /*LowerCase=*/true).substr(0, 12);
}

std::string fileName(StringRef stem) {
  std::string s = stem.str();
  std::replace_if(
      s.begin(), s.end(), [](char c) { return !isAlnum(c) && c != '_' && c != '.' && c != '-'; },
      '_');
  if (s != stem || s.size() > 150 || s[0] == '.')
    s = "k_" + s.substr(0, 150) + "_" + digest(stem);
  return s;
}

} // namespace

Dumps::Dumps(StringRef directory, StringRef kinds, StringRef object,
             std::function<void(const std::string &)> warn)
    : kinds_(kinds.str()), warn_(std::move(warn)) {
  if (directory.empty())
    return;
  SmallString<256> path(directory);
  sys::path::append(path, digest(object));
  if (auto ec = sys::fs::create_directories(path)) {
    warn_("dump directory " + path.str().str() + ": " + ec.message());
    return;
  }
  directory_ = path.str().str();
}

bool Dumps::wants(StringRef kind) const {
  if (directory_.empty())
    return false;
  if (kinds_.empty())
    return true;
  SmallVector<StringRef, 8> list;
  StringRef(kinds_).split(list, ',');
  return std::any_of(list.begin(), list.end(), [&](StringRef s) { return s.trim() == kind; });
}

void Dumps::write(StringRef stem, StringRef suffix, StringRef text) const {
  const std::string name = fileName(stem) + suffix.str();
  auto problem = [&](const std::string &why) {
    warn_("dump " + directory_ + "/" + name + ": " + why);
  };
  // The folder's name can be told from the object: where others can write, a link may be there.
  Descriptor folder(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder)
    return problem(errnoText("opening the folder", errno));
  if (auto done = writeNewFile(folder, name, {text.data(), text.size()}, 0666); !done)
    problem(done.error().message);
}

} // namespace meld::jit
