#include "bench/runner/each_case.h"
#include "bench/runner/pairs.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

namespace meld::bench {

namespace {

// A side that several pairs share is measured once.
class Sides {
public:
  Sides(const Paths &paths, bool small) : paths_(paths), small_(small) {}

  const Measurement &of(const PublishedPair &pair, const std::string &side) {
    const auto environment = environmentOf(pair);
    const std::string sizes = small_ ? "" : pair.sizes;
    const auto key = std::tuple(pair.program, side, sizes, environment);
    if (const auto known = known_.find(key); known != known_.end())
      return known->second;
    tellProgress(pair.name + ": " + side);
    std::vector<std::string> arguments = {side};
    std::istringstream words(sizes);
    for (std::string word; words >> word;)
      arguments.push_back(word);
    const Measurement m = measure(paths_, "pair_" + pair.program, arguments,
                                  {"pairs", true, environment}, /*timing=*/true);
    if (!m.pass)
      std::fprintf(stderr, "meld-bench: %s %s failed on %s: exit code %d\n%s\n",
                   pair.program.c_str(), side.c_str(), pair.device.c_str(), m.exitCode,
                   m.output.c_str());
    return known_.emplace(key, m).first->second;
  }

private:
  using Key = std::tuple<std::string, std::string, std::string, std::map<std::string, std::string>>;
  const Paths &paths_;
  bool small_;
  std::map<Key, Measurement> known_;
};

} // namespace

int runPairs(const Paths &paths, const PairsOptions &options) {
  std::vector<PublishedPair> pairs = pairsCalled(options.only, options.device);
  if (options.quick)
    pairs.erase(std::remove_if(pairs.begin(), pairs.end(),
                               [](const PublishedPair &pair) { return !pair.quick; }),
                pairs.end());
  if (pairs.empty()) {
    std::fprintf(stderr, "meld-bench: no pair is called '%s'%s%s\n", options.only.c_str(),
                 options.device.empty() ? "" : " on ", options.device.c_str());
    return 2;
  }
  Sides sides(paths, options.quick);
  std::vector<PairRow> rows;
  bool ok = true;
  for (const PublishedPair &pair : pairs) {
    rows.push_back({pair, sides.of(pair, pair.before), sides.of(pair, pair.after)});
    ok = ok && rows.back().pass();
  }
  tellProgress("");
  if (options.quick) // other sizes than the ratios are of
    for (const PairRow &row : rows)
      std::printf("%s, %s and %s: %s\n", row.pair.name.c_str(), row.pair.before.c_str(),
                  row.pair.after.c_str(), row.pass() ? "PASS" : "FAIL");
  else if (options.json)
    std::printf("%s\n", toJson(rows).dump(1).c_str());
  else if (options.markdown)
    std::printf("%s", pairsMarkdown(rows).c_str());
  else
    std::printf("%s", pairsText(rows).c_str());
  return ok ? 0 : 1;
}

} // namespace meld::bench
