// String matching three ways: naive at every position, Knuth-Morris-Pratt on overlapping pieces,
// and Aho-Corasick for several words at once, over a text with many near misses. Reference:
// std::string::find.
#include "check.h"

#include <algorithm>
#include <queue>
#include <string>

__global__ void naive(const char *text, int n, const char *word, int m, int *hits) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n - m)
    return;
  int k = 0;
  while (k < m && text[i + k] == word[k])
    ++k;
  hits[i] = k == m;
}
/// Each thread scans `piece` start positions and reads on into the next piece.
__global__ void knuthMorrisPratt(const char *text, int n, const char *word, const int *fail, int m,
                                 int *hits, int piece) {
  const int begin = (blockIdx.x * blockDim.x + threadIdx.x) * piece;
  const int end = min(n, begin + piece + m - 1);
  int k = 0;
  for (int i = begin; i < end; ++i) {
    while (k > 0 && word[k] != text[i])
      k = fail[k - 1];
    if (word[k] == text[i])
      ++k;
    if (k == m) {
      hits[i - m + 1] = 1;
      k = fail[k - 1];
    }
  }
}
__global__ void ahoCorasick(const char *text, int n, const short *next, const unsigned *output,
                            int letters, unsigned *ends, int piece, int longest) {
  const int begin = (blockIdx.x * blockDim.x + threadIdx.x) * piece;
  int state = 0;
  for (int i = max(0, begin - longest + 1); i < min(n, begin + piece); ++i) {
    state = next[state * letters + text[i] - 'a'];
    if (i >= begin)
      ends[i] = output[state];
  }
}

static std::vector<int> failureLinks(const std::string &w) {
  std::vector<int> fail(w.size(), 0);
  for (size_t i = 1, k = 0; i < w.size(); ++i) {
    while (k && w[k] != w[i])
      k = fail[k - 1];
    fail[i] = int(k += w[k] == w[i]);
  }
  return fail;
}

int main() {
  const int n = 6000, letters = 3;
  std::string text(n, 'a');
  Random random(1);
  for (char &c : text)
    c = char('a' + random.below(letters));
  const std::string words[] = {"a", "aab", "abcab", "cacacac", "aabaabaab", "bbbbbb"};
  for (int at = 50; at + 9 < n; at += 173)
    text.replace(at, 9, "aabaabaab");
  Device<char> dText(std::vector<char>(text.begin(), text.end()));

  auto expected = [&](const std::string &w) {
    std::vector<int> hits(n, 0);
    for (size_t at = text.find(w); at != std::string::npos; at = text.find(w, at + 1))
      hits[at] = 1;
    return hits;
  };
  for (const std::string &w : words) {
    const int m = int(w.size()), piece = 37;
    Device<char> word(std::vector<char>(w.begin(), w.end()));
    Device<int> fail(failureLinks(w)), hits(std::vector<int>(n, 0)), other(std::vector<int>(n, 0));
    naive<<<(n + 255) / 256, 256>>>(dText, n, word, m, hits);
    expectSame("naive", hits.host(), expected(w));
    knuthMorrisPratt<<<(n / piece + 64) / 64, 64>>>(dText, n, word, fail, m, other, piece);
    expectSame("Knuth-Morris-Pratt", other.host(), expected(w));
  }

  // the automaton: trie, then links breadth first
  std::vector<short> next(letters, -1);
  std::vector<unsigned> output = {0};
  for (unsigned w = 0; w < 6; ++w) {
    int state = 0;
    for (char c : words[w]) {
      if (next[state * letters + c - 'a'] < 0) {
        next[state * letters + c - 'a'] = short(output.size());
        output.push_back(0);
        next.resize(output.size() * letters, -1);
      }
      state = next[state * letters + c - 'a'];
    }
    output[state] |= 1u << w;
  }
  std::vector<int> link(output.size(), 0);
  std::queue<int> todo;
  for (int c = 0; c < letters; ++c)
    if (next[c] < 0)
      next[c] = 0;
    else
      todo.push(next[c]);
  for (; !todo.empty(); todo.pop()) {
    const int s = todo.front();
    output[s] |= output[link[s]];
    for (int c = 0; c < letters; ++c) {
      short &to = next[s * letters + c];
      if (to < 0)
        to = next[link[s] * letters + c];
      else {
        link[to] = next[link[s] * letters + c];
        todo.push(to);
      }
    }
  }
  const int piece = 50;
  Device<short> dNext(next);
  Device<unsigned> dOutput(output), ends(n);
  ahoCorasick<<<(n / piece + 64) / 64, 64>>>(dText, n, dNext, dOutput, letters, ends, piece, 9);
  std::vector<unsigned> want(n, 0);
  for (unsigned w = 0; w < 6; ++w) {
    const auto hits = expected(words[w]);
    for (int i = 0; i < n; ++i)
      if (hits[i])
        want[i + words[w].size() - 1] |= 1u << w;
  }
  expectSame("Aho-Corasick", ends.host(), want);
  return verdict();
}
