// A finite-state machine per thread: a tokenizer of numbers, words, strings and comments as a
// switch in a loop. Threads are in different states, the arms are short and alike.
#include "harness.h"

constexpr int length = 96;

enum State { blank, number, word, quoted, escaped, comment, states };

struct Counts {
  int tokens[states];
  int checksum;
};

__device__ __host__ inline Counts scan(const char *text) {
  Counts c{};
  int state = blank;
  for (int i = 0; i < length; ++i) {
    const char ch = text[i];
    const bool digit = ch >= '0' && ch <= '9', letter = ch >= 'a' && ch <= 'z';
    switch (state) {
    case blank:
      if (digit) {
        state = number;
        ++c.tokens[number];
        c.checksum = c.checksum * 31 + ch;
      } else if (letter) {
        state = word;
        ++c.tokens[word];
        c.checksum = c.checksum * 33 + ch;
      } else if (ch == '"') {
        state = quoted;
        ++c.tokens[quoted];
      } else if (ch == '#') {
        state = comment;
        ++c.tokens[comment];
      }
      break;
    case number:
      if (digit) {
        c.checksum = c.checksum * 31 + ch;
      } else {
        state = letter ? static_cast<int>(word) : static_cast<int>(blank);
        c.checksum ^= 0x55;
      }
      break;
    case word:
      if (letter || digit) {
        c.checksum = c.checksum * 33 + ch;
      } else {
        state = blank;
        c.checksum ^= 0x33;
      }
      break;
    case quoted:
      if (ch == '\\') {
        state = escaped;
        ++c.tokens[escaped];
      } else if (ch == '"') {
        state = blank;
        c.checksum ^= 0x77;
      } else {
        c.checksum = c.checksum * 37 + ch;
      }
      break;
    case escaped:
      state = quoted;
      c.checksum = c.checksum * 41 + ch;
      break;
    default:
      if (ch == ';') {
        state = blank;
        c.checksum ^= 0x11;
      }
      break;
    }
  }
  c.tokens[blank] = state;
  return c;
}

__global__ void tokenize(const char *texts, Counts *out, int count) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at < count)
    out[at] = scan(texts + at * length);
}

int main(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv);
  bench::Verdicts verdicts("state_machine");
  const unsigned block = o.block ? o.block : 64;
  const int count = static_cast<int>(o.size ? o.size : 512);
  bench::Random random(o.seed);
  const char alphabet[] = "abcxyz0123 \"\\#; ;\" a1 ";
  std::vector<char> texts(static_cast<size_t>(count) * length);
  for (char &c : texts)
    c = alphabet[random.below(sizeof(alphabet) - 1)];
  std::vector<int> want, got;
  const auto flatten = [](std::vector<int> &to, const Counts &c) {
    to.insert(to.end(), c.tokens, c.tokens + states);
    to.push_back(c.checksum);
  };
  for (int i = 0; i < count; ++i)
    flatten(want, scan(&texts[static_cast<size_t>(i) * length]));
  bench::DeviceBuffer<char> dTexts(texts);
  bench::DeviceBuffer<Counts> out(static_cast<size_t>(count));
  tokenize<<<dim3((count + block - 1) / block), dim3(block)>>>(dTexts.get(), out.get(), count);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  for (const Counts &c : out.download())
    flatten(got, c);
  verdicts.expectEqual("block=" + std::to_string(block), got, want);
  return verdicts.exitCode();
}
