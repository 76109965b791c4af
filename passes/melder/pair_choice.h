// Which pairs of an alignment are worth keeping: exactly, by a minimum cut.
//
//   left:  a = x ^ k   b = a << 5   c = b + x          aligned: (a|p), (b|q), (c|r)
//   right: p = y ^ k   q = p << 2   r = q - y                    c and r differ in opcode: unpaired
//
// A pair saves an instruction; each operand in which its sides differ costs a select, unless the
// two operands are themselves a pair that is kept. So a pair may pay only together with the pairs
// it feeds, and an alignment, which scores one pair after the other, keeps chains of which each
// link looks harmless and the whole is a loss.
//
//   source --gain--> pair                    cut when the pair is given up
//   user --inf--> select --cost--> producer  cut when the user is kept and its producer is not
//                 select --cost--> sink      for operands that can be no pair
//
// A select that several users share is one node, paid once. The pairs on the source's side of a
// minimum cut are the best choice for this alignment; of equally good ones the one that keeps most.
//
// Terminates: Dinic's algorithm (1970), at most as many phases as there are nodes; each phase is
// linear in practice. The result does not depend on the order of augmentation: the largest source
// side is unique.
#pragma once

#include <cstddef>
#include <vector>

namespace meld::passes {

class PairChoice {
public:
  using Index = unsigned; ///< of a pair or a select

  /// A pair that saves `gain` against the two instructions apart; may be negative.
  Index addPair(int gain);
  /// A pair that stays whatever it costs.
  Index addFixedPair();
  /// A select of two values that are not a pair.
  Index addSelect(int cost);
  /// A select that is needed only while `producer` is not kept.
  Index addSelectUnless(Index producer, int cost);
  /// `pair` reads `select`.
  void reads(Index pair, Index select);
  /// Code that stays as it is reads `select`.
  void alwaysReads(Index select);

  /// For each index, whether it is kept.
  std::vector<bool> solve();

private:
  struct Edge {
    unsigned to;
    int room; ///< what can still flow; the reverse edge is the next or the one before
  };
  static constexpr unsigned source = 0, sink = 1;

  Index addNode();
  void addEdge(unsigned from, unsigned to, int capacity);
  bool findLevels();
  void augment();

  std::vector<Edge> edges_;
  std::vector<std::vector<unsigned>> out_{2}; ///< edges per node
  std::vector<int> level_;
};

} // namespace meld::passes
