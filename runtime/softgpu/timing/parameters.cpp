#include "runtime/softgpu/timing/parameters.h"

#include <charconv>

namespace meld::softgpu {

namespace {

struct Field {
  std::string_view name;
  uint32_t TimingParameters::*member;
};

constexpr Field fields[] = {
    {"valu", &TimingParameters::valu},
    {"valuHalf", &TimingParameters::valuHalf},
    {"valuQuarter", &TimingParameters::valuQuarter},
    {"transcendental", &TimingParameters::transcendental},
    {"mulHi32", &TimingParameters::mulHi32},
    {"f64", &TimingParameters::f64},
    {"mfma", &TimingParameters::mfma},
    {"salu", &TimingParameters::salu},
    {"branchNotTaken", &TimingParameters::branchNotTaken},
    {"branchTaken", &TimingParameters::branchTaken},
    {"internal", &TimingParameters::internal},
    {"sleepUnit", &TimingParameters::sleepUnit},
    {"ldsMin", &TimingParameters::ldsMin},
    {"ldsBytesPerLaneCycle", &TimingParameters::ldsBytesPerLaneCycle},
    {"ldsWriteExtra", &TimingParameters::ldsWriteExtra},
    {"ldsConflict", &TimingParameters::ldsConflict},
    {"ldsLatency", &TimingParameters::ldsLatency},
    {"vmemMin", &TimingParameters::vmemMin},
    {"vmemPerLine", &TimingParameters::vmemPerLine},
    {"l1Bytes", &TimingParameters::l1Bytes},
    {"l1Ways", &TimingParameters::l1Ways},
    {"l1Latency", &TimingParameters::l1Latency},
    {"l2Bytes", &TimingParameters::l2Bytes},
    {"l2Ways", &TimingParameters::l2Ways},
    {"l2Latency", &TimingParameters::l2Latency},
    {"hbmLatency", &TimingParameters::hbmLatency},
    {"l2BytesPerCycle", &TimingParameters::l2BytesPerCycle},
    {"hbmMilliBytesPerCycle", &TimingParameters::hbmMilliBytesPerCycle},
    {"scalarBytes", &TimingParameters::scalarBytes},
    {"scalarWays", &TimingParameters::scalarWays},
    {"scalarLatency", &TimingParameters::scalarLatency},
    {"turn", &TimingParameters::turn},
    {"launchOverhead", &TimingParameters::launchOverhead},
};

/// Values that a model can be run with: no clock that stands still, no cache of terabytes.
bool makesSense(std::string_view name, uint32_t value) {
  constexpr uint32_t mostCycles = 1000000000, mostBytes = 1u << 30, mostWays = 1024;
  if (name == "turn")
    return value >= 1 && value <= mostCycles;
  if (name.ends_with("Bytes"))
    return value <= mostBytes;
  return value <= (name.ends_with("Ways") ? mostWays : mostCycles);
}

} // namespace

TimingParameters TimingParameters::of(isa::Target target) {
  TimingParameters p;
  if (target == isa::Target::gfx90a)
    p.f64 = 4; // CDNA2: as fast as f32; half of it on MI50 and MI100
  if (target == isa::Target::gfx900 || target == isa::Target::gfx906) {
    p.f64 = target == isa::Target::gfx900 ? 64 : 8;
    p.l2Bytes = 4 << 20;
    p.hbmMilliBytesPerCycle = 4892;
  }
  return p;
}

bool TimingParameters::set(std::string_view name, uint32_t value) {
  for (const Field &f : fields)
    if (f.name == name) {
      this->*f.member = value;
      return true;
    }
  return false;
}

std::string TimingParameters::apply(std::string_view settings) {
  while (!settings.empty()) {
    std::string_view part = settings.substr(0, settings.find(','));
    settings.remove_prefix(std::min(settings.size(), part.size() + 1));
    size_t equals = part.find('=');
    uint32_t value = 0;
    if (equals == part.npos)
      return std::string(part);
    std::string_view number = part.substr(equals + 1);
    auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size() ||
        !makesSense(part.substr(0, equals), value) || !set(part.substr(0, equals), value))
      return std::string(part);
  }
  return {};
}

} // namespace meld::softgpu
