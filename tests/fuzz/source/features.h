// What a generated kernel may hold. A kernel is given some of these and uses some of what it is
// given: kernels of few features reach states that kernels of all features dilute (swarm testing,
// Groce et al., ISSTA 2012).
#pragma once

#include <bitset>
#include <cstdint>
#include <string>

namespace meld::fuzz::source {

enum class Feature : uint8_t {
#define MELD_FEATURE(name, text) name,
#include "tests/fuzz/source/features.def"
#undef MELD_FEATURE
  count
};

inline constexpr size_t featureCount = static_cast<size_t>(Feature::count);

class Features {
public:
  bool has(Feature f) const { return bits_[static_cast<size_t>(f)]; }
  bool has(size_t index) const { return bits_[index]; }
  void add(Feature f) { bits_.set(static_cast<size_t>(f)); }
  void remove(Feature f) { bits_.reset(static_cast<size_t>(f)); }
  /// "loops,switch"
  std::string names() const;

private:
  std::bitset<featureCount> bits_;
};

const char *featureName(size_t index);

} // namespace meld::fuzz::source
