// "Did you mean": edit distance with transpositions (optimal string alignment), O(n*m).
#include "runtime/settings/settings.h"

#include <algorithm>

namespace meld {
namespace {

size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

} // namespace

std::string suggest(std::string_view word, const std::vector<std::string> &candidates) {
  std::string best;
  size_t bestDistance = word.size() / 3 + 1;
  for (const std::string &candidate : candidates) {
    // The lengths alone differ by more: a megabyte that somebody exported costs nothing.
    if (std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size()) >=
        bestDistance)
      continue;
    size_t d = distance(word, candidate);
    if (d < bestDistance) {
      bestDistance = d;
      best = candidate;
    }
  }
  return best;
}

} // namespace meld
