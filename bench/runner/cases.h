// Which programs are run in which sizes, and which published set each belongs to. What a program
// computes, and after what paper, stands at the top of its source.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace meld::bench {

/// The published collections, each with a geometric mean of its own.
enum class Set {
  synthetic,   ///< SB1-SB4 and their -R variants (control-flow melding, CGO'22)
  melding,     ///< the 25 configurations of its real programs
  fusion,      ///< the branch-fusion report: nqueen, bfs, suffix matching, lud
  convergence, ///< Lee et al., CGO'13: FIR, Rodinia and Parboil behaviours
  slices,      ///< Timofeev 2016: slices, intra prediction, detection cascade
  reductions,  ///< CUDA Freshman 3.4
  everyday,    ///< divergent programs of daily life
  nests,       ///< loops whose trip count differs from lane to lane, and seldom taken sides in them
};

/// Its name in tables; `ofAll` lists them in order.
const char *nameOf(Set set);
const std::vector<Set> &allSets();

struct Case {
  std::string program;
  std::vector<std::string> arguments;
  std::string label; ///< program and configuration, as the tables show it
  Set set;
  bool quick = false;         ///< also run by --quick: one size of each program
  std::vector<Set> also = {}; ///< other papers that have the same program

  bool isIn(Set of) const;
  /// The label without a block size: what runs with several of them.
  std::string family() const;
};

std::vector<Case> allCases();

/// How a case is run so that its launches fill the device, where they can.
struct Problem {
  std::string size;          ///< what the program's --size takes
  unsigned computeUnits = 0; ///< of a part of the device; 0: all of it

  /// For the run's environment: a part of the device has its share of the L2.
  std::map<std::string, std::string> environment() const;
};

/// The sizes that the runner knows by name: "full" (the largest that this project runs; most of
/// them fill the device, which the run says itself), "large" and "small", the program's own.
Problem problemOf(const Case &which, const std::string &size);

/// The cases that someone means who types `text`: of a set by its whole name, or with the text in
/// their label or program; where there is none, the same whatever the case of letters. Empty = all.
std::vector<Case> casesCalled(const std::string &text);

/// To whoever typed a name that calls nothing: that it does not, and the names there are.
std::string unknownName(const std::string &text);

} // namespace meld::bench
