// What the dynamic oracle calls uniform and our analysis does not, by the reason why not
// (`meld-bench scalar --gap`): what is worth a better analysis, and what no analysis can know.
//
//   one lane     a single lane was active: uniform whatever is computed
//   launch       ours, too, if the shape of the launch's workgroups were known when compiling
//   backend      of no instruction of the IR: what code generation adds, joins or splits
//   condition    a comparison at the end of a block, of which no claims are made
//   half         upper 32 bits of an extended index: alike although the lower ones differ
//   data         made of what was loaded, and happened to be equal
//   control      uniform operands under a divergent branch's choice, or behind a loop that lanes
//                left in different rounds
//   ids          arithmetic on ids that came out alike (guards that all lanes pass)
//
// Each execution counts once, under the first that applies. `floating` is how much of it all is
// floating-point arithmetic, which would stay on the vector unit of GFX9.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace meld::bench {

enum class Cause : uint8_t { none, ids, control, data }; ///< as in bench/scalar/cause.h
Cause causeNamed(const std::string &name);

enum class GapKind : uint8_t { oneLane, launch, backend, condition, half, data, control, ids };
constexpr unsigned gapKinds = 8;
const char *name(GapKind kind);

/// Executions.
struct Gap {
  std::array<double, gapKinds> parts{};
  double floating = 0;

  double &operator[](GapKind kind) { return parts[static_cast<unsigned>(kind)]; }
  double operator[](GapKind kind) const { return parts[static_cast<unsigned>(kind)]; }
  double sum() const;
  void add(const Gap &other);
  /// What depends on the values of the run, however much is known of the program and its launch.
  double unknowable() const { return (*this)[GapKind::oneLane] + (*this)[GapKind::data]; }
};

} // namespace meld::bench
