#include "bench/runner/under_design.h"

#include "bench/runner/parallel.h"

#include <filesystem>
#include <system_error>

namespace meld::bench {

namespace fs = std::filesystem;

std::vector<BeforeAfter> underDesign(
    const Configuration &on, unsigned jobs,
    const std::function<std::vector<Dispatch>(const Configuration &, const DesignRun &)> &run) {
  const auto &design = designRuns();
  const fs::path cache = on.environment.at("MELD_CACHE_DIR");
  std::vector<BeforeAfter> all(design.size());
  inParallel(design.size(), jobs, [&](size_t i) {
    const fs::path own = cache.string() + ".design-" + std::to_string(i + 1);
    std::error_code failed;
    fs::remove_all(own, failed);
    fs::copy(cache, own, fs::copy_options::recursive, failed);
    Configuration there = on;
    there.environment["MELD_CACHE_DIR"] = own.string();
    all[i] = {run({"original", true, {}}, design[i]), run(there, design[i])};
    fs::remove_all(own, failed);
  });
  return all;
}

} // namespace meld::bench
