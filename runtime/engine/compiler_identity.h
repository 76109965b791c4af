// What of the compiler and of its surroundings decides which code comes out: fields of every cache
// key.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace meld {

/// Names and values. The libraries are identified without being loaded (identity.h); paths may be
/// empty.
std::vector<std::pair<std::string, std::string>> compilerIdentity(const std::string &libmeldPath,
                                                                  const std::string &jitPath);

/// Soname of the comgr that libmeld-jit.so opens.
const char *comgrLibrary();

} // namespace meld
