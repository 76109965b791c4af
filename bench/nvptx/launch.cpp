#include "bench/nvptx/launch.h"

#include <algorithm>
#include <cstring>

namespace meld::nvptx {

Facts factsOf(const Launch &launch, const std::vector<Parameter> &parameters,
              const std::function<bool(uint64_t)> &isAddress) {
  Facts facts;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter &parameter = parameters[i];
    const auto *bytes = static_cast<const unsigned char *>(launch.arguments[i]);
    // Structures by words: what lies between their members differs by chance, and is no fact then.
    for (unsigned at = 0; at < parameter.size;) {
      const unsigned from = parameter.offset + at, left = parameter.size - at;
      uint64_t address = 0;
      if (from % 8 == 0 && left >= 8)
        std::memcpy(&address, bytes + at, 8);
      unsigned width = parameter.pointerSized || isAddress(address) ? 8 : 4;
      while (width > left || from % width)
        width /= 2;
      uint64_t value = 0;
      std::memcpy(&value, bytes + at, width);
      if (width == 8 && isAddress(value))
        facts.push_back(Fact::nonNull(static_cast<uint16_t>(from)));
      else
        facts.push_back(
            Fact::argument(static_cast<uint16_t>(from), static_cast<uint8_t>(width), value));
      at += width;
    }
  }
  facts.push_back(Fact::workgroup(static_cast<uint16_t>(launch.block.x),
                                  static_cast<uint16_t>(launch.block.y),
                                  static_cast<uint16_t>(launch.block.z)));
  facts.push_back(Fact::fullGroups()); // CUDA knows no others
  const uint64_t items[] = {uint64_t{launch.grid.x} * launch.block.x,
                            uint64_t{launch.grid.y} * launch.block.y,
                            uint64_t{launch.grid.z} * launch.block.z};
  for (uint16_t d = 0; d < 3; ++d)
    if (items[d] <= UINT32_MAX) // a grid of HIP's has no more
      facts.push_back(Fact::grid(d, static_cast<uint32_t>(items[d])));
  std::sort(facts.begin(), facts.end());
  return facts;
}

} // namespace meld::nvptx
