// A finite-state machine per thread: a tokenizer of numbers, words, strings and comments as a
// switch in a loop. Threads are in different states, the arms are short and alike.
#include "harness.h"

#include <cctype>

constexpr int length = 96;

enum State { blank, number, word, quoted, escaped, comment, states };

struct Counts {
  int tokens[states];
  int checksum;
};

__device__ inline Counts scan(const char *text) {
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

/// The same by a table of transitions: the next state, what the character and the end of a token do
/// to the checksum, and whether a token begins.
static Counts reference(const char *text) {
  enum Class { digit, letter, quote, backslash, hash, semicolon, other, classes };
  struct Step {
    State to;
    unsigned times, flip;
    bool begins;
  };
  const Step idle{blank, 0, 0, false}, newNumber{number, 31, 0, true},
      inNumber{number, 31, 0, false}, numberEnds{blank, 0, 0x55, false},
      numberToWord{word, 0, 0x55, false}, newWord{word, 33, 0, true}, inWord{word, 33, 0, false},
      wordEnds{blank, 0, 0x33, false}, newQuote{quoted, 0, 0, true}, inQuote{quoted, 37, 0, false},
      quoteEnds{blank, 0, 0x77, false}, newEscape{escaped, 0, 0, true},
      escapeEnds{quoted, 41, 0, false}, newComment{comment, 0, 0, true},
      inComment{comment, 0, 0, false}, commentEnds{blank, 0, 0x11, false};
  const Step table[states][classes] = {
      {newNumber, newWord, newQuote, idle, newComment, idle, idle},
      {inNumber, numberToWord, numberEnds, numberEnds, numberEnds, numberEnds, numberEnds},
      {inWord, inWord, wordEnds, wordEnds, wordEnds, wordEnds, wordEnds},
      {inQuote, inQuote, quoteEnds, newEscape, inQuote, inQuote, inQuote},
      {escapeEnds, escapeEnds, escapeEnds, escapeEnds, escapeEnds, escapeEnds, escapeEnds},
      {inComment, inComment, inComment, inComment, inComment, commentEnds, inComment}};
  Counts c{};
  State state = blank;
  unsigned sum = 0;
  for (const char *at = text; at < text + length; ++at) {
    const Class what = std::isdigit(*at)   ? digit
                       : std::islower(*at) ? letter
                       : *at == '"'        ? quote
                       : *at == '\\'       ? backslash
                       : *at == '#'        ? hash
                       : *at == ';'        ? semicolon
                                           : other;
    const Step &step = table[state][what];
    if (step.times)
      sum = sum * step.times + static_cast<unsigned>(*at);
    sum ^= step.flip;
    c.tokens[step.to] += step.begins;
    state = step.to;
  }
  c.tokens[blank] = state;
  c.checksum = static_cast<int>(sum);
  return c;
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {512, 16384, "texts"});
  bench::Verdicts verdicts("state_machine");
  const unsigned block = o.block ? o.block : 64;
  const int count = static_cast<int>(o.size);
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
    flatten(want, reference(&texts[static_cast<size_t>(i) * length]));
  bench::DeviceBuffer<char> dTexts(texts);
  bench::DeviceBuffer<Counts> out(static_cast<size_t>(count));
  tokenize<<<dim3((count + block - 1) / block), dim3(block)>>>(dTexts.get(), out.get(), count);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  for (const Counts &c : out.download())
    flatten(got, c);
  verdicts.expectEqual("texts=" + std::to_string(count), got, want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
