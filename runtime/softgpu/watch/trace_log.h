// MELD_TRACE: what runs, as text: a line for each dispatch, a line for each executed instruction.
//
//   MELD_TRACE=WORDS[,FILE]   words: kernel (dispatches), insts (instructions); none: insts.
//                             FILE "-", or none behind words: standard error
//   MELD_TRACE_KERNEL=PART    only kernels whose name contains PART
//
//   kernel linear gfx90a grid 4096x1x1 workgroup 256x1x1 vgprs 8 sgprs 96 lds 0 scratch 0
//   linear g0 w1 +0x1c exec=ffffffffffffffff scc=0  v_add_u32_e32 v0, s6, v0  ; s6=0x100 v0[0]=0x40
//   -> v0[0]=0x140
//
// With several devices "gfx90a" is "device 0 (gfx90a)", and an instruction's line has it behind the
// kernel, too; all devices write to the one file.
//
// Values are those of the sources before the instruction and, behind the arrow, of its results; of
// vector registers those of the first active lane, of long operands the first four dwords. Costs
// about 3 us per instruction. Lines of different waves mix when there are several threads. Thread
// rule: any thread.
#pragma once

#include "runtime/softgpu/execute/watch.h"
#include "runtime/softgpu/watch/trace_file.h"

#include <memory>
#include <string>

namespace meld::softgpu {

class TraceLog {
public:
  /// nullptr when the configuration asks for nothing or the file cannot be written (one warning).
  static std::unique_ptr<TraceLog> open(const DeviceConfig &config);
  bool wants(const Launch &launch) const {
    return launch.kernel.find(kernelPart_) != std::string::npos;
  }

  /// The line of a dispatch; makes watchers that write a line for each of its instructions.
  /// nullptr: dispatches only.
  std::unique_ptr<WatchFactory> watch(const Launch &launch, isa::Target target);

private:
  TraceLog(std::shared_ptr<TraceFile> file, std::string kernelPart, bool kernels, bool instructions)
      : file_(std::move(file)), kernelPart_(std::move(kernelPart)), kernels_(kernels),
        instructions_(instructions) {}
  std::shared_ptr<TraceFile> file_;
  std::string kernelPart_;
  bool kernels_, instructions_;
};

} // namespace meld::softgpu
