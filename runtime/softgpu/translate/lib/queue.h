// Vector operations that wait to be emitted together, chunk by chunk.
//
// Lane-wise operations are not emitted when they are met but collected; scalar instructions between
// them go ahead (they cannot see VGPRs). When something needs the registers or a lane mask - a
// memory instruction, a change of EXEC, a scalar that reads VCC, the block's end - the queue is
// emitted as one loop over the chunks of 16 (8) lanes:
//
//     v_add_u32 v1, v0, s4            for chunk in 0..3:  (0..1 in a wave of 32)
//     s_add_u32 s5, s4, 1               t = load v0 + splat(s4)
//     v_mul_lo_u32 v2, v1, v1           store v1, t; store v2, t * t
//
// so that values stay in host registers from one operation to the next. All operations of the queue
// run under one EXEC; chunks without an active lane are skipped.
#pragma once

#include "runtime/softgpu/translate/lib/chunk.h"
#include "runtime/softgpu/translate/lib/scalars.h"

namespace meld::softgpu::translate {

class VectorQueue {
public:
  VectorQueue(llvm::IRBuilder<> &builder, Scalars &scalars, llvm::Value *rows, unsigned lanes,
              unsigned waveSize)
      : b_(builder), scalars_(scalars), rows_(rows), lanes_(lanes), waveSize_(waveSize) {}

  /// True when `e` was queued, false when it has no rule or a form the rules do not know.
  bool add(const ExecInst *e);
  /// Emits what waits; masks become scalars.
  void run();
  bool empty() const { return ops_.empty(); }

private:
  llvm::IRBuilder<> &b_;
  Scalars &scalars_;
  llvm::Value *rows_;
  const unsigned lanes_, waveSize_;
  std::vector<VectorOp> ops_;
  llvm::Value *exec_ = nullptr;
  int nextMask_ = 0;
};

/// Whether add() would take it.
const Rule *ruleFor(const ExecInst *e);

} // namespace meld::softgpu::translate
