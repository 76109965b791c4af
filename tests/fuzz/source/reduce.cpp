#include "tests/fuzz/source/reduce.h"

#include <algorithm>
#include <cstddef>

namespace meld::fuzz::source {

namespace {

using Path = std::vector<size_t>; ///< the kid to take at each level

void collect(const Piece &piece, Path &path, std::vector<std::pair<size_t, Path>> &out) {
  for (size_t i = 0; i < piece.kids.size(); ++i) {
    path.push_back(i);
    out.emplace_back(countPieces(piece.kids[i]), path);
    collect(piece.kids[i], path, out);
    path.pop_back();
  }
}

Piece &parentOf(Piece &root, const Path &path) {
  Piece *at = &root;
  for (size_t i = 0; i + 1 < path.size(); ++i)
    at = &at->kids[path[i]];
  return *at;
}

bool drop(Piece &root, const Path &path) {
  Piece &parent = parentOf(root, path);
  if (parent.kids[path.back()].fixed)
    return false;
  parent.kids.erase(parent.kids.begin() + static_cast<std::ptrdiff_t>(path.back()));
  return true;
}

bool unwrap(Piece &root, const Path &path) {
  Piece &parent = parentOf(root, path);
  Piece piece = parent.kids[path.back()];
  if (piece.fixed || !piece.unwraps || piece.kids.empty() || piece.head.empty())
    return false;
  const auto at = parent.kids.erase(parent.kids.begin() + static_cast<std::ptrdiff_t>(path.back()));
  parent.kids.insert(at, piece.kids.begin(), piece.kids.end());
  return true;
}

bool fill(Piece &root, const Path &path, const char *text) {
  Piece &piece = parentOf(root, path).kids[path.back()];
  if (piece.hole.size() < 2) // empty, or simple already
    return false;
  piece.hole = text;
  return true;
}

} // namespace

Piece reduce(const Piece &program, const std::function<bool(const Piece &)> &stays) {
  Piece best = program;
  const std::function<bool(Piece &, const Path &)> edits[] = {
      drop, unwrap, [](Piece &root, const Path &path) { return fill(root, path, "0"); },
      [](Piece &root, const Path &path) { return fill(root, path, "1"); }};
  for (bool smaller = true; smaller;) {
    smaller = false;
    std::vector<std::pair<size_t, Path>> places;
    Path path;
    collect(best, path, places);
    std::stable_sort(places.begin(), places.end(),
                     [](const auto &a, const auto &b) { return a.first > b.first; });
    for (const auto &edit : edits)
      for (size_t i = 0; i < places.size();) {
        Piece candidate = best;
        if (!edit(candidate, places[i].second) || !stays(candidate)) {
          ++i;
          continue;
        }
        best = std::move(candidate);
        smaller = true;
        places.clear(); // paths behind the place have changed
        path.clear();
        collect(best, path, places);
        std::stable_sort(places.begin(), places.end(),
                         [](const auto &a, const auto &b) { return a.first > b.first; });
        i = std::min(i, places.size());
      }
  }
  return best;
}

} // namespace meld::fuzz::source
