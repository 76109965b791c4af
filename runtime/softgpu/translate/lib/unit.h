// One unit as an LLVM function; see ../abi.h for what it does.
//
// A block of the kernel becomes straight-line scalar IR with the vector queue's loops in it; the
// function starts with a switch over the block starts, so a wave may enter at any of them:
//
//   entry -> switch -> block 0 ... block n; branches inside the unit are branches of the function
//
// Before anything that may leave the function or be seen from outside - a handler, a memory access,
// the block's end - the queue is run, changed SGPRs are stored and counters are added up.
// Costs: about 0.2 ms per instruction, most of it LLVM's code generation.
#pragma once

#include "runtime/softgpu/translate/abi.h"
#include "runtime/softgpu/translate/lib/queue.h"
#include "runtime/softgpu/translate/lib/scalars.h"

#include <optional>

namespace meld::softgpu::translate {

/// Emits a scalar ALU instruction; false (and nothing emitted that matters) when the handler must.
bool emitSalu(llvm::IRBuilder<> &b, Scalars &scalars, const ExecInst *e);

class Unit {
public:
  /// `lanes`: of a chunk.
  Unit(llvm::Module &module, const UnitInst *insts, uint32_t count, isa::Target target,
       unsigned lanes);
  llvm::Function *emit(const char *name);
  uint32_t covered() const { return covered_; }

private:
  void block(uint32_t first);
  /// False: control does not go on to the next instruction.
  bool instruction(uint32_t k);
  bool valu(uint32_t k);
  bool laneAccess(const ExecInst *e);
  bool pair(const ExecInst *);
  bool scalarLoad(const ExecInst *e);
  bool flow(uint32_t k);
  /// The high half of EXEC, which a wave of 32 keeps 0, would be written by a result at `slot`.
  bool reachesHighExec(unsigned slot, unsigned dwords) const;
  bool handler(uint32_t k, bool returns = false);
  void branch(uint32_t k, llvm::Value *condition); ///< nullptr: always
  void jump(const ExecInst *target, int32_t index, bool costsQuantum);
  void leaveTo(const ExecInst *next);

  void count(const ExecInst *e);
  void settle(); ///< queue, registers, counters
  void addTo(llvm::Value *counter, llvm::Value *n);
  void setNext(const ExecInst *e);
  llvm::Value *field(size_t offset);
  llvm::Value *counter(size_t offset);
  llvm::Constant *pointer(const void *p);
  llvm::Value *rowAddress(unsigned row, llvm::Value *lane);

  llvm::Module &module_;
  const UnitInst *const insts_;
  const uint32_t count_;
  const isa::TargetTraits traits_;
  const unsigned lanes_;
  llvm::IRBuilder<> b_;
  llvm::Function *fn_ = nullptr;
  llvm::Value *wave_ = nullptr, *counters_ = nullptr, *rows_ = nullptr;
  std::vector<llvm::BasicBlock *> starts_;
  std::optional<Scalars> scalars_;
  std::optional<VectorQueue> queue_;
  uint64_t categories_[WaveCounters::kCategories] = {};
  std::vector<std::pair<llvm::Value *, uint64_t>> lanesOn_; ///< EXEC, vector instructions under it
  uint32_t covered_ = 0;
};

} // namespace meld::softgpu::translate
