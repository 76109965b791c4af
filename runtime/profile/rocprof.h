// Reads what rocprofv3 --kernel-trace --pc-sampling-... --output-format json wrote of one process
// (rocprofiler-sdk of ROCm 6.4 or later).
//
//   {"rocprofiler-sdk-tool": [{
//      "metadata": {"pid": N, ...},
//      "agents": [{"id": {"handle": N}, "type": 2, "simd_count": N, "wave_front_size": N, "name": "gfx90a", ...}],
//      "code_objects": [{"code_object_id": N, "load_base": N, "memory_size": N, "uri": TEXT, ...}],
//      "kernel_symbols": [{"kernel_id": N, "code_object_id": N, "kernel_name": TEXT, "kernel_object": N,
//                          "kernel_code_entry_byte_offset": N, ...}],
//      "buffer_records": {
//        "kernel_dispatch": [{"dispatch_info": {"agent_id": {"handle": N}, "kernel_id": N,
//                             "workgroup_size": {"x", "y", "z"}, "grid_size": {"x", "y", "z"}, ...}, ...}],
//        "pc_sample_host_trap": [{"record": {"pc": {"code_object_id": N, "code_object_offset": N},
//                                 "exec_mask": N, "dispatch_id": N, ...}, "inst_index": N}],
//        "pc_sample_stochastic": [{"record": {..., "wave_issued": 0 or 1,
//                                  "inst_type": "ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_VALU", ...}, ...}]}}]}
//
// Sources: rocprofiler-sdk, "Using PC sampling" (the records) and include/rocprofiler-sdk/pc_sampling.h,
// callback_tracing.h: an offset counts from load_base; a kernel's first instruction is at kernel_object plus
// kernel_code_entry_byte_offset; sizes of grids are in work-items. Its CSV files have no offsets, only the
// instruction's text, from which no place in a kernel can be told; so they are not read.
//
// Files have a thousand bytes a sample: records are summed up as they go by, and memory grows with the
// code and not with the file.
//
// Untrusted input. Errors name the offset at which something is wrong: badInput (no such file, or not all
// of one), unsupported (no samples in it: another version's, or recorded without). Thread rule: pure.
#pragma once

#include "runtime/profile/sampled_marks.h"
#include "runtime/result.h"

#include <istream>

namespace meld::profile {

/// A kernel of a loaded code object.
struct TracedKernel {
  std::string name;
  std::string processor;   ///< of the device that it was loaded for; "" where it was never launched
  uint64_t objectSize = 0; ///< bytes of the code object's file; 0: unknown
  uint64_t launches = 0, waves = 0;
  double wavesPerSimd = 0;  ///< summed over its launches
  SamplesByOffset hostTrap; ///< every sample with an active lane
  SamplesByOffset issued;   ///< stochastic: of those, the ones that issued an instruction just then
  bool operator==(const TracedKernel &) const = default;
};

/// What became of the samples.
struct SampleTotals {
  uint64_t hostTrap = 0, stochastic = 0; ///< all there are, by method
  uint64_t waiting = 0;                  ///< stochastic: nothing that counts was issued
  uint64_t noLanes = 0;                  ///< EXEC was 0
  uint64_t elsewhere = 0;                ///< in no code object that is known, or before its kernels
  void add(const SampleTotals &other);
  uint64_t all() const { return hostTrap + stochastic; }
  bool operator==(const SampleTotals &) const = default;
};

struct Trace {
  std::vector<TracedKernel> kernels; ///< by code object, then by address
  SampleTotals totals;
};

Result<Trace> readTrace(std::istream &json);

} // namespace meld::profile
