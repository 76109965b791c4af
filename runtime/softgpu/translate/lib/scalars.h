// SGPRs, SCC and EXEC of the block being translated, as SSA values.
//
// Registers are loaded when first read and stored when somebody else may look (store()). A pair is
// kept as one 64-bit value as long as nobody asks for its halves: most pairs are addresses and lane
// masks. A pair may also be *pending*: it will hold the lane mask of a vector comparison that is
// still in the vector queue; reading it as a scalar first runs the queue. Lane masks of waves of 32
// (GFX10) are one register, and so is what is pending.
//
//   s_and_b64 s[4:5], vcc, s[2:3]     wide[4] = and(wide[106], wide[2])
//   s_add_u32 s6, s4, s8              trunc(wide[4]), load s8
//
// Thread rule: one thread.
#pragma once

#include "runtime/softgpu/execute/wave.h"

#include "llvm/IR/IRBuilder.h"

#include <array>
#include <functional>

namespace meld::softgpu::translate {

class Scalars {
public:
  Scalars(llvm::IRBuilder<> &builder, llvm::Value *wave, unsigned maskDwords)
      : b_(builder), wave_(wave), maskDwords_(maskDwords) {
    pending_.fill(-1);
  }
  /// Called before a pending mask is read as a scalar; must resolve() it.
  std::function<void()> runQueue;

  llvm::Value *read32(unsigned slot);
  llvm::Value *read64(unsigned slot);
  void write32(unsigned slot, llvm::Value *x);
  void write64(unsigned slot, llvm::Value *x);

  llvm::Value *scc();                ///< i32, 0 or 1
  void setScc(llvm::Value *i1OrI32); ///< an i1 is widened

  /// Lane masks: a bit for each lane of the wave.
  llvm::IntegerType *maskType() const { return b_.getIntNTy(32 * maskDwords_); }
  llvm::Value *readMask(unsigned slot) { return maskDwords_ == 2 ? read64(slot) : read32(slot); }
  llvm::Value *exec() { return readMask(isa::Sgpr::exec); }

  /// Lane masks that the vector queue will compute.
  void setPending(unsigned slot, int id);
  int pendingAt(unsigned slot) const { return pending_[slot]; }
  /// Whether a mask at `slot` shares a register with another one that is pending.
  bool overlapsPending(unsigned slot) const {
    return maskDwords_ == 2 && ((slot && pending_[slot - 1] >= 0) || pending_[slot + 1] >= 0);
  }
  void resolve(int id, llvm::Value *mask);

  /// Writes everything changed to the Wave. Nothing may be pending.
  void store();
  /// The registers may have changed behind our back.
  void forget();
  void forget(unsigned slot, unsigned count);

private:
  llvm::Value *address(unsigned slot);
  void split(unsigned slot); ///< no 64-bit value covers `slot` any more
  bool isPending(unsigned slot) const {
    return pending_[slot] >= 0 || (maskDwords_ == 2 && slot && pending_[slot - 1] >= 0);
  }

  llvm::IRBuilder<> &b_;
  llvm::Value *wave_;
  const unsigned maskDwords_;
  std::array<llvm::Value *, isa::Sgpr::slots> narrow_{}, wide_{}; ///< wide_[k]: slots k and k + 1
  std::array<bool, isa::Sgpr::slots> dirty_{};
  std::array<int, isa::Sgpr::slots> pending_;
  llvm::Value *scc_ = nullptr;
  bool sccDirty_ = false;
};

} // namespace meld::softgpu::translate
