#include "bench/runner/cases.h"

#include "bench/runner/table.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace meld::bench {

const char *nameOf(Set set) {
  switch (set) {
  case Set::synthetic:
    return "synthetic";
  case Set::melding:
    return "melding";
  case Set::fusion:
    return "fusion";
  case Set::convergence:
    return "convergence";
  case Set::slices:
    return "slices";
  case Set::reductions:
    return "reductions";
  case Set::everyday:
    return "everyday";
  case Set::nests:
    return "nests";
  }
  return "";
}

const std::vector<Set> &allSets() {
  static const std::vector<Set> sets = {Set::synthetic,   Set::melding, Set::fusion,
                                        Set::convergence, Set::slices,  Set::reductions,
                                        Set::everyday,    Set::nests};
  return sets;
}

bool Case::isIn(Set of) const {
  return set == of || std::find(also.begin(), also.end(), of) != also.end();
}

std::string Case::family() const {
  const auto option = std::find(arguments.begin(), arguments.end(), "--block");
  if (option == arguments.end() || option + 1 == arguments.end())
    return label;
  const std::string end = " " + *(option + 1);
  const bool ends =
      label.size() > end.size() && label.compare(label.size() - end.size(), end.size(), end) == 0;
  return ends ? label.substr(0, label.size() - end.size()) : label;
}

std::vector<Case> casesCalled(const std::string &text) {
  const auto lower = [](std::string s) {
    std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return std::tolower(c); });
    return s;
  };
  const auto chosen = [](const auto &isMeant) {
    std::vector<Case> cases = allCases();
    cases.erase(
        std::remove_if(cases.begin(), cases.end(), [&](const Case &c) { return !isMeant(c); }),
        cases.end());
    return cases;
  };
  for (Set set : allSets())
    if (nameOf(set) == text)
      return chosen([&](const Case &c) { return c.isIn(set); });
  const auto exact = chosen([&](const Case &c) {
    return c.label.find(text) != std::string::npos || c.program.find(text) != std::string::npos;
  });
  if (!exact.empty())
    return exact;
  return chosen([&](const Case &c) {
    return lower(c.label + "\n" + c.program).find(lower(text)) != std::string::npos;
  });
}

std::string unknownName(const std::string &text) {
  std::string sets, families;
  for (Set set : allSets())
    sets += std::string(sets.empty() ? "" : ", ") + nameOf(set);
  std::set<std::string> seen;
  for (const Case &c : allCases())
    if (seen.insert(c.family()).second)
      families += (families.empty() ? "" : ", ") + c.family();
  return "no benchmark is called '" + text + "'\n" + wrapped("sets: " + sets, 110) + "\n" +
         wrapped("benchmarks: " + families, 110) +
         "\nPart of a name will do, or the name of a program in bench/kernels.";
}

std::vector<Case> allCases() {
  std::vector<Case> all;
  // Block sizes of one program; the first is the quick one.
  const auto blocks = [&](Set set, const std::string &program, std::vector<std::string> more,
                          const std::string &label, std::initializer_list<const char *> sizes) {
    bool first = true;
    for (const char *size : sizes) {
      std::vector<std::string> arguments = more;
      arguments.insert(arguments.end(), {"--block", size});
      all.push_back({program, arguments, label + " " + size, set, first});
      first = false;
    }
  };
  const auto plain = [&](Set set, std::initializer_list<const char *> programs) {
    for (const char *program : programs)
      all.push_back({program, {}, program, set, true});
  };
  const auto pattern = [&](Set set, const char *program,
                           std::initializer_list<const char *> words) {
    for (const char *word : words)
      all.push_back({program, {"--pattern", word}, std::string(program) + " " + word, set, true});
  };

  for (const char *kind : {"SB1", "SB1-R", "SB2", "SB2-R", "SB3", "SB3-R", "SB4", "SB4-R"})
    blocks(Set::synthetic, "synthetic", {"--pattern", kind}, kind, {"64", "32", "128", "256"});

  // The paper's bitonic sort reads descending numbers.
  blocks(Set::melding, "bitonic", {"--pattern", "descending"}, "BIT", {"64", "32", "128", "256"});
  blocks(Set::melding, "pcm", {"--pattern", "intervals"}, "PCM", {"32", "64", "128", "256"});
  blocks(Set::melding, "merge_sort", {}, "MS", {"32", "64", "128", "256"});
  blocks(Set::melding, "lud", {}, "LUD", {"16", "32", "64", "128"});
  blocks(Set::melding, "nqueens", {}, "NQU", {"64", "96", "128", "256"});
  blocks(Set::melding, "srad", {}, "SRAD", {"16", "32"});
  blocks(Set::melding, "dct", {}, "DCT", {"8", "4", "16"});

  plain(Set::fusion, {"bfs", "suffix_match"});
  plain(Set::convergence, {"fir", "backprop", "heartwall", "hotspot", "kmeans", "needle",
                           "pathfinder", "sgemm", "spmv", "stencil", "lbm"});
  pattern(Set::slices, "slices", {"uniform", "divergent"});
  plain(Set::slices, {"intra", "cascade"});
  pattern(Set::reductions, "reduction", {"neighbored", "neighbored-less", "interleaved"});
  blocks(Set::reductions, "lds_reduction", {}, "lds_reduction", {"256", "64", "128"});

  plain(Set::everyday, {"mandelbrot", "raytrace", "lz", "state_machine", "nbody", "options",
                        "collision", "divergent_saxpy", "diamond"});
  pattern(Set::everyday, "mandelbrot", {"bands"});
  blocks(Set::everyday, "bitonic", {"--pattern", "random"}, "bitonic random",
         {"64", "32", "128", "256"});
  blocks(Set::everyday, "pcm", {"--pattern", "random"}, "pcm random", {"32", "64"});

  for (const char *program : {"row_nest", "pixel_nest", "walk_nest", "bfs_nest", "rank_nest",
                              "bvh_nest", "cutoff_nest", "match_nest", "collatz_nest",
                              "quadrature_nest", "lz_nest", "huffman_nest", "collision_loop"})
    pattern(Set::nests, program, {"skewed", "balanced"});

  for (Case &c : all) {
    if (c.set == Set::melding && (c.program == "nqueens" || c.program == "lud"))
      c.also = {Set::fusion};
    if (c.program == "bfs")
      c.also = {Set::convergence};
  }
  return all;
}

// 104 compute units of four SIMDs hold 1,664 waves, 106,496 threads, with four waves on each SIMD.
// Where work grows with the square or cube of the size (n-body, the diagonals of an alignment, the
// panels of a factorisation), or LDS lets one wave on a SIMD and each runs for long (partition and
// merge), the large problem runs on so many compute units as it fills.
Problem problemOf(const Case &which, const std::string &size) {
  static const std::map<std::string, Problem> full = {
      {"bfs", {"120000"}},       {"cascade", {"4800"}},         {"heartwall", {"864"}},
      {"lbm", {"4400"}},         {"lud", {"large", 1}},         {"lz", {"106496"}},
      {"nbody", {"large", 2}},   {"needle", {"large", 1}},      {"options", {"106496"}},
      {"pcm", {"large", 2}},     {"slices", {"large", 2}},      {"spmv", {"110000"}},
      {"stencil", {"3500"}},     {"state_machine", {"106496"}}, {"suffix_match", {"106496"}},
      {"synthetic", {"106496"}},
  };
  if (size != "full")
    return {size, 0};
  const auto known = full.find(which.program);
  return known == full.end() ? Problem{"large", 0} : known->second;
}

std::map<std::string, std::string> Problem::environment() const {
  if (!computeUnits)
    return {};
  constexpr unsigned all = 104, l2Bytes = 8 << 20; // of the gfx90a that is modelled
  return {{"MELD_GPU_CUS", std::to_string(computeUnits)},
          {"MELD_GPU_TIMING_PARAMS", "l2Bytes=" + std::to_string(l2Bytes / all * computeUnits)}};
}

} // namespace meld::bench
