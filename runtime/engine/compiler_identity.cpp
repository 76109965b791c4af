#include "runtime/engine/compiler_identity.h"

#include "runtime/engine/identity.h"

#include <algorithm>
#include <string_view>
#include <unistd.h>

namespace meld {
namespace {

/// Variables that reach the compiler inside comgr. Those that only log or cache are not among them.
std::vector<std::pair<std::string, std::string>> compilerVariables() {
  std::vector<std::pair<std::string, std::string>> out;
  static constexpr std::string_view kHarmless[] = {
      "AMD_COMGR_CACHE",          "AMD_COMGR_CACHE_DIR",     "AMD_COMGR_CACHE_POLICY",
      "AMD_COMGR_SAVE_TEMPS",     "AMD_COMGR_REDIRECT_LOGS", "AMD_COMGR_EMIT_VERBOSE_LOGS",
      "AMD_COMGR_TIME_STATISTICS"};
  for (char **entry = environ; entry && *entry; ++entry) {
    std::string_view text = *entry;
    size_t equals = text.find('=');
    if (equals == std::string_view::npos)
      continue;
    std::string_view name = text.substr(0, equals);
    bool relevant = name.rfind("AMD_COMGR_", 0) == 0 || name == "CCC_OVERRIDE_OPTIONS";
    if (relevant &&
        std::find(std::begin(kHarmless), std::end(kHarmless), name) == std::end(kHarmless))
      out.emplace_back(std::string(name), std::string(text.substr(equals + 1)));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string identityOf(const std::string &path) {
  if (path.empty())
    return "none";
  auto identity = fileIdentity(path);
  return identity ? *identity : "unreadable: " + identity.error().message;
}

} // namespace

const char *comgrLibrary() { return MELD_COMGR_LIBRARY; }

std::vector<std::pair<std::string, std::string>> compilerIdentity(const std::string &libmeldPath,
                                                                  const std::string &jitPath) {
  std::vector<std::pair<std::string, std::string>> identity;
  const std::string jitFolder = folderOf(jitPath);
  identity.emplace_back("libmeld", identityOf(libmeldPath));
  identity.emplace_back("libmeld-jit", identityOf(jitPath));
  // LLVM is what libmeld-jit.so is linked with; comgr is opened by it by name.
  for (const std::string &name : neededLibraries(jitPath))
    if (name.rfind("libLLVM", 0) == 0)
      identity.emplace_back(name,
                            identityOf(findLibrary(name, {jitFolder, MELD_LLVM_LIBRARY_DIR})));
  identity.emplace_back("comgr", identityOf(findLibrary(comgrLibrary(), {jitFolder})));
  for (auto &[name, value] : compilerVariables())
    identity.emplace_back("environment " + name, value);
  return identity;
}

} // namespace meld
