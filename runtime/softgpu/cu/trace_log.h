// MELD_TRACE: one line for each executed instruction, for looking at what a kernel does.
//
//   MELD_TRACE=FILE ("-": standard error), MELD_TRACE_KERNEL=part of the kernel's name (default:
//   all)
//
//   linear g0 w1 +0x1c exec=ffffffffffffffff scc=0  v_add_u32_e32 v0, s6, v0   ; v0[0]=0x40
//
// Values behind the semicolon are those after the instruction: scalar results, and a vector result
// in the first active lane. Costs about 2 us per instruction. Lines of different waves mix when
// there are several threads. Thread rule: any thread.
#pragma once

#include "runtime/softgpu/cu/watch.h"

#include <cstdio>
#include <memory>
#include <string>

namespace meld::softgpu {

class TraceLog {
public:
  /// nullptr when the configuration names no file or it cannot be written (one warning).
  static std::unique_ptr<TraceLog> open(const DeviceConfig &config);
  ~TraceLog();
  TraceLog(const TraceLog &) = delete;

  bool wants(const Launch &launch) const {
    return launch.kernel.find(kernelPart_) != std::string::npos;
  }

  /// Makes watchers that write a line for each instruction of the launch.
  std::unique_ptr<WatchFactory> watch(const Launch &launch);

private:
  TraceLog(std::FILE *file, std::string kernelPart)
      : file_(file), kernelPart_(std::move(kernelPart)) {}
  std::FILE *file_;
  std::string kernelPart_;
};

} // namespace meld::softgpu
