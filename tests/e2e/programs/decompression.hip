// Decoders, byte-serial control flow that differs in every lane: a Lempel-Ziv stream with copies
// that overlap themselves, canonical Huffman codes bit by bit, run lengths expanded by a binary
// search in prefix sums. The host encodes; the device must give the text back.
#include "check.h"

#include <algorithm>
#include <map>
#include <queue>
#include <string>

using Bytes = std::vector<uint8_t>;

/// Tokens: 0..127: that many + 1 literals follow; 128..255: copy (t - 125) bytes, distance in two.
__global__ void lempelZiv(const uint8_t *in, const int *starts, uint8_t *out, int size, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uint8_t *to = out + i * size;
  int at = 0;
  for (int p = starts[i]; p < starts[i + 1];) {
    const int token = in[p++];
    if (token < 128)
      for (int k = 0; k <= token; ++k)
        to[at++] = in[p++];
    else {
      const int distance = in[p] | in[p + 1] << 8;
      p += 2;
      for (int k = 0; k < token - 125; ++k, ++at)
        to[at] = to[at - distance];
    }
  }
}
static Bytes encode(const uint8_t *text, int n) {
  Bytes out, literals;
  auto flush = [&] {
    for (size_t at = 0; at < literals.size(); at += 128) {
      const size_t count = std::min<size_t>(128, literals.size() - at);
      out.push_back(uint8_t(count - 1));
      out.insert(out.end(), literals.begin() + at, literals.begin() + at + count);
    }
    literals.clear();
  };
  for (int i = 0; i < n;) {
    int best = 0, distance = 0;
    for (int d = 1; d <= i && d < 500; ++d) {
      int k = 0;
      while (i + k < n && k < 130 && text[i + k] == text[i + k - d])
        ++k;
      if (k > best)
        best = k, distance = d;
    }
    if (best >= 4) {
      flush();
      out.push_back(uint8_t(125 + best));
      out.push_back(uint8_t(distance));
      out.push_back(uint8_t(distance >> 8));
      i += best;
    } else
      literals.push_back(text[i++]);
  }
  flush();
  return out;
}

/// Canonical code: first code and first symbol of every length.
struct Canonical {
  unsigned first[24], offset[24], count[24];
  uint8_t symbols[256];
};
__global__ void huffman(const unsigned *bits, const unsigned *starts, const Canonical *code,
                        uint8_t *out, int size, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned at = starts[i];
  for (int k = 0; k < size; ++k) {
    unsigned word = 0, length = 0;
    do {
      word = word << 1 | (bits[at / 32] >> at % 32 & 1);
      ++at;
      ++length;
    } while (word - code->first[length] >= code->count[length]);
    out[i * size + k] = code->symbols[code->offset[length] + word - code->first[length]];
  }
}
__global__ void expandRuns(const uint8_t *values, const int *ends, int runs, uint8_t *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int low = 0, high = runs - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (ends[middle] > i)
      high = middle;
    else
      low = middle + 1;
  }
  out[i] = values[low];
}

int main() {
  const int pieces = 100, size = 150, n = pieces * size;
  Bytes text;
  Random random(1);
  const std::string words[] = {"the ",    "wave ",  "of ",    "lanes ",
                               "aaaaaaa", "melds ", "xyxyxy", "q"};
  while (int(text.size()) < n) {
    const std::string &w = words[random.below(8)];
    text.insert(text.end(), w.begin(), w.end());
    if (!random.below(6))
      text.push_back(uint8_t('A' + random.below(26)));
  }
  text.resize(n);
  {
    Bytes stream;
    std::vector<int> starts = {0};
    for (int i = 0; i < pieces; ++i) {
      const Bytes e = encode(&text[i * size], size);
      stream.insert(stream.end(), e.begin(), e.end());
      starts.push_back(int(stream.size()));
    }
    EXPECT(stream.size() < text.size() * 3 / 4);
    Device<uint8_t> in(stream), out(n);
    Device<int> dStarts(starts);
    lempelZiv<<<2, 64>>>(in, dStarts, out, size, pieces);
    expectSame("Lempel-Ziv", out.host(), text);
  }
  {
    std::map<uint8_t, int> counts, lengths;
    for (uint8_t c : text)
      ++counts[c];
    using Item = std::pair<int, std::vector<uint8_t>>; // weight, symbols below
    std::priority_queue<Item, std::vector<Item>, std::greater<>> heap;
    for (auto &[c, k] : counts)
      heap.push({k, {c}});
    while (heap.size() > 1) {
      Item a = heap.top();
      heap.pop();
      Item b = heap.top();
      heap.pop();
      a.second.insert(a.second.end(), b.second.begin(), b.second.end());
      for (uint8_t c : a.second)
        ++lengths[c];
      heap.push({a.first + b.first, a.second});
    }
    Canonical code = {};
    std::map<uint8_t, unsigned> codes;
    unsigned next = 0, placed = 0;
    for (int length = 1; length < 24; ++length) {
      next <<= 1;
      code.first[length] = next;
      code.offset[length] = placed;
      for (auto &[c, l] : lengths)
        if (l == length) {
          codes[c] = next++;
          code.symbols[placed++] = c;
        }
      code.count[length] = next - code.first[length];
    }
    std::vector<unsigned> bits(n, 0), starts;
    unsigned at = 0;
    for (int i = 0; i < n; ++i) {
      if (i % size == 0)
        starts.push_back(at);
      for (int b = lengths[text[i]] - 1; b >= 0; --b, ++at)
        bits[at / 32] |= (codes[text[i]] >> b & 1) << at % 32;
    }
    Device<unsigned> dBits(bits), dStarts(starts);
    Device<Canonical> dCode(std::vector<Canonical>{code});
    Device<uint8_t> out(n);
    huffman<<<2, 64>>>(dBits, dStarts, dCode, out, size, pieces);
    expectSame("Huffman", out.host(), text);
  }
  Bytes values, expanded;
  std::vector<int> ends;
  while (int(expanded.size()) < n) {
    values.push_back(uint8_t(random.next()));
    expanded.insert(expanded.end(), 1 + random.below(40), values.back());
    ends.push_back(int(expanded.size()));
  }
  const int total = int(expanded.size());
  Device<uint8_t> dValues(values), out(total);
  Device<int> dEnds(ends);
  expandRuns<<<(total + 255) / 256, 256>>>(dValues, dEnds, int(ends.size()), out, total);
  expectSame("runs", out.host(), expanded);
  return verdict();
}
