// A program as a tree of pieces of source text: what the generator makes and the reducer takes
// apart.
//
//   head hole tail        if (             a ^ b              ) {
//     kids                  x = y;
//   foot                  }
//
// The generator's promise: a piece that is not fixed may go with everything below it, or leave its
// kids behind in its place, and a hole may hold any other integer expression. The program then
// either does not compile (a name is gone) or is still defined, free of races and finite.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace meld::fuzz::source {

struct Piece {
  std::string head, hole, tail;
  std::vector<Piece> kids;
  std::string foot;
  bool fixed = false;  ///< stays as long as its parent does
  bool unwraps = true; ///< its kids can stand where it stood
};

/// A line, or anything else without parts.
inline Piece line(std::string text, bool fixed = false) {
  Piece p;
  p.head = std::move(text), p.fixed = fixed;
  return p;
}

/// `head hole tail`, where the hole takes any integer.
inline Piece withHole(std::string head, std::string hole, std::string tail) {
  Piece p;
  p.head = std::move(head), p.hole = std::move(hole), p.tail = std::move(tail);
  return p;
}

inline Piece block(std::string head, std::vector<Piece> kids, std::string foot = "}") {
  Piece p;
  p.head = std::move(head), p.kids = std::move(kids), p.foot = std::move(foot);
  return p;
}

/// Source text, indented.
std::string render(const Piece &piece);
/// The pieces in the tree.
size_t countPieces(const Piece &piece);

} // namespace meld::fuzz::source
