#include "tests/fuzz/source/piece.h"

namespace meld::fuzz::source {

static void addLines(std::string &out, const std::string &text, size_t depth) {
  size_t at = 0;
  while (at < text.size()) {
    size_t end = text.find('\n', at);
    if (end == std::string::npos)
      end = text.size();
    if (end > at)
      out.append(text[at] == '#' ? 0 : 2 * depth, ' ').append(text, at, end - at);
    out += '\n';
    at = end + 1;
  }
}

static void render(std::string &out, const Piece &piece, size_t depth) {
  addLines(out, piece.head + piece.hole + piece.tail, depth);
  const bool opens = !piece.head.empty() && !piece.foot.empty();
  for (const Piece &kid : piece.kids)
    render(out, kid, depth + opens);
  addLines(out, piece.foot, depth);
}

std::string render(const Piece &piece) {
  std::string out;
  render(out, piece, 0);
  return out;
}

size_t countPieces(const Piece &piece) {
  size_t count = 1;
  for (const Piece &kid : piece.kids)
    count += countPieces(kid);
  return count;
}

} // namespace meld::fuzz::source
