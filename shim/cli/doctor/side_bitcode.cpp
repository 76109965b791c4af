// The folders of MELD_BITCODE_PATH: are they there, can they be read, and are their files named as
// libmeld looks for them (runtime/engine/side_bitcode.h)?
#include "shim/cli/doctor/checks.h"

#include "runtime/engine/side_bitcode.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <memory>

namespace meld::doctor {
namespace {

constexpr std::string_view kSuffix = ".bc";
constexpr size_t kHashDigits = 64;

bool isHash(std::string_view text) {
  return text.size() == kHashDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Finding checkFolder(const std::string &folder) {
  Finding finding{Health::ok, kSideBitcodeCheck, folder, ""};
  const std::unique_ptr<DIR, int (*)(DIR *)> entries(::opendir(folder.c_str()), ::closedir);
  if (!entries) {
    finding.health = Health::warn;
    finding.text += std::string(": ") + std::strerror(errno);
    finding.advice =
        "name folders that are there and that this user may read, with colons between them";
    return finding;
  }
  size_t named = 0, others = 0;
  while (const dirent *entry = ::readdir(entries.get())) {
    std::string_view name = entry->d_name;
    if (!name.ends_with(kSuffix))
      continue;
    name.remove_suffix(kSuffix.size());
    ++(isHash(name) ? named : others);
  }
  finding.text += ": " + std::to_string(named) + (named == 1 ? " file" : " files") + " HASH.bc";
  if (others) {
    finding.health = Health::warn;
    finding.text +=
        "; " + std::to_string(others) + " .bc with other names, which nothing looks for";
    finding.advice = kNameAdvice;
  }
  return finding;
}

} // namespace

Findings checkSideBitcode(const std::string &path) {
  Findings out;
  for (const std::string &folder : sideBitcodeFolders(path))
    out.push_back(checkFolder(folder));
  if (out.empty() && !path.empty())
    out.push_back({Health::warn, kSideBitcodeCheck, "'" + path + "' names no folder", ""});
  return out;
}

} // namespace meld::doctor
