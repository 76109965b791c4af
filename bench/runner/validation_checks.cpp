// What the timing model is compared with. Titles in full: docs/timing-model.md.
#include "bench/runner/validation.h"

namespace meld::bench {

namespace {

constexpr const char *ipc = "Omniperf, IPC example (MI250)";
constexpr const char *ldsText = "Omniperf, pipeline descriptions: LDS";
constexpr const char *ldsExample = "Omniperf, LDS example (MI250)";
constexpr const char *ldsBanks = "AMD OpenCL guide, LDS optimization";
constexpr const char *crash = "GCN crash course";
constexpr const char *schedule = "LLVM, SISchedule.td";
constexpr const char *gem5 = "gem5, GPU.py (a model, too)";
constexpr const char *gem5Clock = "gem5, pull request 1350 (Vega)";
constexpr const char *clrx = "CLRX, GCN timings";
constexpr const char *benches = "gpu-benches, MI210";
constexpr const char *mt4g = "MT4G, MI210";
constexpr const char *mt4g100 = "MT4G, MI100";
constexpr const char *mgpusim = "MGPUSim (a model, too)";
constexpr const char *gfx950 = "Triton, gfx950 measurement (MI350)";

void vectorAlu(std::vector<Check> &all, bool cdna2) {
  using enum Quantity;
  using enum Origin;
  const auto cycles = [&](const char *name, const char *what, double published, Origin origin,
                          const char *source) {
    all.push_back({name, what, cyclesPerOperation, published, 0.02, origin, source});
  };
  cycles("valu-add", "v_add_f32, dependent chain, cycles", 4, rule, crash);
  cycles("valu-fma", "v_fma_f32, dependent chain, cycles", 4, rule, crash);
  cycles("valu-fma", "v_fma_f32, the same on an MI350, cycles", 8, other, gfx950);
  cycles("valu-integer", "v_and_b32, dependent chain, cycles", 4, rule, crash);
  cycles("valu-multiply", "v_mul_lo_u32, dependent chain, cycles", 16, check, crash);
  if (cdna2) // sources disagree
    cycles("valu-multiply", "v_mul_lo_u32, the same in LLVM's schedule", 4, other, schedule);
  cycles("valu-root", "v_sqrt_f32, dependent chain, cycles", 16, check, schedule);
  cycles("valu-double", "v_fma_f64, dependent chain, cycles", cdna2 ? 4 : 64, cdna2 ? check : rule,
         cdna2 ? "CDNA2 white paper; SISchedule.td" : "\"Vega\" white paper");
  cycles("valu-one-lane", "v_add_f32 with one active lane, cycles", 4, check, ipc);
  cycles("salu-add", "s_add_u32, dependent chain, cycles", 4, rule, ipc);
  const auto rate = [&](const char *name, const char *what, double published, double tolerance,
                        Origin origin) {
    all.push_back({name, what, operationsPerCycle, published, tolerance, origin, ipc});
  };
  rate("valu-rate", "vector ALU, 8 waves per SIMD, instructions / cycle", 1, 0.02, check);
  rate("salu-rate", "scalar ALU, 8 waves per SIMD, instructions / cycle", 1, 0.02, check);
  rate("nop-rate", "s_nop, 8 waves per SIMD, instructions / cycle", 6.79, 0.25, check);
  cycles("no-jump", "s_cbranch not taken, cycles", 4, rule, clrx);
  cycles("jump", "s_branch, lone wave, cycles", 20, rule, clrx);
  cycles("jump", "s_branch, the same in LLVM's schedule", 32, other, schedule);
  cycles("scalar-of-vector", "v_cmp and s_and of its result, lone wave, cycles", 24, rule, clrx);
  all.push_back({"dispatch", "workgroups of one wave, cycles for each of a device's dispatcher",
                 cyclesPerOperation, 4, 0.02, rule, mgpusim});
  for (const char *waves : {"1", "2", "4", "8"})
    all.push_back({std::string("valu-waves-") + waves,
                   std::string("vector ALU, ") + waves + " waves per SIMD, instructions / cycle",
                   operationsPerCycle, 1, 0.08, check, crash});
}

void lds(std::vector<Check> &all) {
  using enum Quantity;
  using enum Origin;
  all.push_back({"lds-latency", "ds_read_b32, dependent chain, cycles", cyclesPerOperation, 50, 0.1,
                 rule, mt4g});
  all.push_back({"lds-latency", "ds_read_b32, the same on an MI350", cyclesPerOperation, 69, 0.5,
                 other, gfx950});
  all.push_back(
      {"lds-read", "ds_read_b32, one wave, cycles", cyclesPerOperation, 4, 0.02, rule, ldsText});
  all.push_back(
      {"lds-write", "ds_write_b32, one wave, cycles", cyclesPerOperation, 8, 0.02, rule, ldsText});
  all.push_back({"lds-write-128", "ds_write_b128, one wave, cycles", cyclesPerOperation, 20, 0.02,
                 rule, ldsText});
  all.push_back({"lds-bandwidth", "ds_read_b128, 4 waves per SIMD, bytes / cycle", bytesPerCycle,
                 128, 0.02, check, crash, 64 * 16});
  // Every work-item of one wave reads another row of one bank.
  for (int lanes : {1, 2, 3, 10, 20})
    all.push_back({"lds-conflict-lanes-" + std::to_string(lanes),
                   "conflict cycles, " + std::to_string(lanes) + " work-items in one bank",
                   conflictsPerLaunch, lanes - 1.0, 0, check, ldsExample});
  for (int stride : {0, 1, 2, 4, 8, 16, 32})
    all.push_back({"lds-stride-" + std::to_string(stride),
                   "conflict cycles, stride of " + std::to_string(stride) + " words",
                   conflictsPerOperation, stride ? 2.0 * (stride - 1) : 0, 0, check, ldsBanks});
}

void memory(std::vector<Check> &all, bool cdna2) {
  using enum Quantity;
  using enum Origin;
  for (int stride : {0, 4, 8, 16, 32, 64, 128}) {
    const int lines = std::min(64, std::max(4, stride)); // 64 lanes, 64-byte lines
    all.push_back({"global-stride-" + std::to_string(stride),
                   "loads that hit, stride of " + std::to_string(stride) + " bytes, cycles",
                   cyclesPerOperation, double(lines), 0.02, rule, crash});
  }
  const auto latency = [&](const char *name, const char *what, double published, double tolerance,
                           Origin origin, const char *source) {
    all.push_back({name, what, cyclesPerOperation, published, tolerance, origin, source});
  };
  latency("l1-latency", "dependent loads from L1, cycles", cdna2 ? 125 : 136, 0.05,
          cdna2 ? rule : other, cdna2 ? benches : mt4g100);
  latency("l1-latency", "the same in gem5", 100, 0.5, check, gem5);
  latency("l2-latency", "dependent loads from L2, cycles", cdna2 ? 245 : 336, 0.05,
          cdna2 ? rule : other, cdna2 ? benches : mt4g100);
  if (cdna2)
    latency("l2-latency", "the same, measured otherwise", 302, 0.25, check, mt4g);
  latency("memory-latency", "dependent loads from memory, cycles", cdna2 ? 570 : 560, 0.05,
          cdna2 ? rule : other, cdna2 ? benches : mt4g100);
  latency("memory-latency", "the same on an MI350", 790, 0.5, other, gfx950);
  latency("page-latency", "dependent loads from memory, more pages than the TLB has, cycles",
          cdna2 ? 665 : 660, 0.05, cdna2 ? rule : other, cdna2 ? benches : mt4g100);
  latency("scalar-latency", "dependent s_load, cycles", 48, 0.1, rule, mt4g);
  latency("scalar-latency", "the same in gem5", 100, 0.5, other, gem5);
  all.push_back({"read-clock", "s_memtime, cycles", cyclesPerOperation, 41, 0.6, check, gem5Clock});
  // A unit's share of what is reached of the peak.
  const double share = cdna2 ? 1638.4 / 104 / 1.7 : 484.0 / 64 / 1.546;
  all.push_back({"memory-bandwidth", "one unit's share of the memory, reading, bytes / cycle",
                 bytesPerCycle, share * (cdna2 ? 1345 / 1638.4 : 1042 / 1228.8), 0.02, rule,
                 cdna2 ? benches : "Vega 64 data sheet; gpu-benches, MI100", 16384});
  all.push_back({"memory-write", "one unit's share of the memory, writing, bytes / cycle",
                 bytesPerCycle, share * (cdna2 ? 1526 / 1638.4 : 1062 / 1228.8), 0.2,
                 cdna2 ? check : other, cdna2 ? benches : "gpu-benches, MI100", 16384});
}

void occupancy(std::vector<Check> &all, bool cdna2) {
  struct Step {
    int registers, waves;
  };
  const std::vector<Step> steps =
      cdna2 ? std::vector<Step>{{64, 8}, {72, 7}, {80, 6}, {96, 5}, {128, 4}, {168, 3}, {256, 2}}
            : std::vector<Step>{{24, 10}, {28, 9}, {32, 8}, {36, 7},  {40, 6},
                                {48, 5},  {64, 4}, {84, 3}, {128, 2}, {256, 1}};
  for (const Step &s : steps)
    all.push_back({"registers-" + std::to_string(s.registers),
                   "waves per SIMD with " + std::to_string(s.registers) + " VGPRs",
                   Quantity::occupancy, double(s.waves), 0, Origin::check,
                   cdna2 ? "AMD lab notes, register pressure" : "AMD OpenCL guide, VGPR table"});
}

} // namespace

std::vector<Check> checksOf(const std::string &device) {
  const bool cdna2 = device == "gfx90a";
  std::vector<Check> all;
  vectorAlu(all, cdna2);
  lds(all);
  memory(all, cdna2);
  occupancy(all, cdna2);
  for (int depth = 0; depth <= 6; ++depth)
    all.push_back({"divergence-" + std::to_string(depth),
                   "divergence " + std::to_string(depth) + " deep, cycles per instruction",
                   Quantity::cyclesPerOperation, 4.0 * (1 << depth), 0.08, Origin::check,
                   "\"Vega\"/CDNA2 ISA, 3.3 EXECute mask"});
  return all;
}

} // namespace meld::bench
