// The timing model against published before/after pairs.
//
// `meld-bench pairs` runs both sides of every pair of bench/pairs/pairs.def on the software GPU, with
// the timing model of the pair's own device, and prints modelled time before / after beside the
// published one. Nothing here judges accuracy: a run fails only where a program's result is wrong.
#pragma once

#include "bench/runner/measure.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace meld::bench {

enum class PairKind {
  kernel, ///< does something useful
  probe,  ///< shows one mechanism of the device; somebody may build a model from it
};

struct PairSource {
  std::string id, title, citation;
};

/// One published pair; the fields are those of MELD_PAIR.
struct PublishedPair {
  std::string name, what;
  std::string program, before, after, sizes; ///< of bench/pairs
  std::string device;                        ///< gfx90a, gfx900, gfx906 or gfx908
  unsigned computeUnits;                     ///< 0: all
  PairKind kind;
  double published; ///< time before / after
  std::string printed, source, where, hardware, scaled;
  bool quick;
};

const std::vector<PairSource> &pairSources();
const std::vector<PublishedPair> &publishedPairs();

/// Those with `only` in their name, program or source (any case), of `device`; "" for all.
std::vector<PublishedPair> pairsCalled(const std::string &only, const std::string &device);

/// For the run of a pair: its device, and of a part of one its share of the L2.
std::map<std::string, std::string> environmentOf(const PublishedPair &pair);

struct PairRow {
  PublishedPair pair;
  Measurement before, after;

  bool pass() const { return before.pass && after.pass; }
  /// Modelled time before / after; 0 where a side failed.
  double model() const;
  /// ln(model / published): 0.10 is about 10 %. 0 where there is no model.
  double error() const;
};

/// How well the model does over some rows; of those without a result nothing is counted.
struct PairSummary {
  unsigned count = 0;
  double rank = 0;        ///< Spearman's correlation of modelled and published ratios
  double meanError = 0;   ///< mean of |ln(model / published)|
  double bias = 0;        ///< mean of ln(model / published): above 0, gains are overstated
  unsigned sided = 0;     ///< published at least 5 % from 1
  unsigned rightSide = 0; ///< of those, modelled on the same side of 1
};
PairSummary summaryOf(const std::vector<PairRow> &rows, std::optional<PairKind> kind = {});

/// "pairs": one object per row; "summary": all, kernel, probe; "sources".
nlohmann::json toJson(const std::vector<PairRow> &rows);
/// The table, the summary and what the numbers mean.
std::string pairsText(const std::vector<PairRow> &rows);
/// The same as Markdown, for docs/timing-model.md.
std::string pairsMarkdown(const std::vector<PairRow> &rows);

struct PairsOptions {
  std::string only, device;
  bool json = false, markdown = false;
  bool quick =
      false; ///< one or two pairs of each program, in small sizes: right or wrong, no ratios
};

/// 0 when every side's result is right.
int runPairs(const Paths &paths, const PairsOptions &options);

} // namespace meld::bench
