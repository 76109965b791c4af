// A copy of a cache for one run of the design: each begins with what was found out under the model's own
// parameters, and what it finds out itself is nobody else's.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace meld::bench {

/// Beside the original, as long as this lives. Where it cannot be made, the run says so by what it
/// finds: no verdicts.
class CacheCopy {
public:
  CacheCopy(const std::filesystem::path &cache, size_t number)
      : path_(cache.string() + ".design-" + std::to_string(number + 1)) {
    std::error_code failed;
    std::filesystem::remove_all(path_, failed);
    std::filesystem::copy(cache, path_, std::filesystem::copy_options::recursive, failed);
  }
  ~CacheCopy() {
    std::error_code failed;
    std::filesystem::remove_all(path_, failed);
  }
  CacheCopy(const CacheCopy &) = delete;
  CacheCopy &operator=(const CacheCopy &) = delete;

  const std::filesystem::path &path() const { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace meld::bench
