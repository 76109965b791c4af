#include "runtime/adapt/turns.h"

#include <algorithm>

namespace meld::adapt {

Turns::Turns(const std::vector<ArgumentRange> &ranges) {
  for (const ArgumentRange &range : ranges) {
    if (range.pointer)
      continue;
    const size_t end = size_t{range.offset} + range.size;
    for (size_t at = range.offset; at < end;) {
      size_t width = 4;
      while (width > 1 && (at % width || at + width > end))
        width /= 2;
      Word word;
      word.offset = static_cast<uint16_t>(at);
      word.width = static_cast<uint8_t>(width);
      words_.push_back(word);
      at += width;
    }
  }
  words_.emplace_back();
}

void Turns::change(Word &word, uint32_t to) noexcept {
  const bool known = to == word.before[0] || to == word.before[1];
  if (to != word.before[0])
    word.before[1] = word.before[0];
  word.before[0] = word.now;
  word.now = to;
  word.again = known ? static_cast<uint8_t>(std::min(word.again + 1u, kAgain)) : uint8_t{0};
}

uint64_t Turns::add(const LaunchShape &launch, const Arguments &arguments) noexcept {
  uint64_t key = 0;
  for (Word &word : words_) {
    uint32_t value = launch.workgroup[0] ^ uint32_t { launch.workgroup[1] } << 11 ^
                     uint32_t { launch.workgroup[2] } << 22;
    if (word.width)
      value = static_cast<uint32_t>(arguments.word(word.offset / 8 * 8u) >> 8 * (word.offset % 8u) &
                                    ((uint64_t{1} << 8 * word.width) - 1));
    if (!any_) { // the first launch: nothing was before
      word.now = word.before[0] = word.before[1] = value;
      continue;
    }
    if (value != word.now)
      change(word, value);
    if (word.again < kAgain)
      continue;
    key = (key ^ value ^ uint64_t{word.offset} << 32) * 0x9e3779b97f4a7c15ull;
    key = (key ^ key >> 29) | 1;
  }
  any_ = true;
  return key;
}

} // namespace meld::adapt
