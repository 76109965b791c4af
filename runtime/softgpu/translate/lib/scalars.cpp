#include "runtime/softgpu/translate/lib/scalars.h"

#include <cstddef>

using namespace llvm;

namespace meld::softgpu::translate {

Value *Scalars::address(unsigned slot) {
  return b_.CreateConstGEP1_64(b_.getInt8Ty(), wave_, offsetof(Wave, s) + 4 * slot);
}

void Scalars::split(unsigned slot) {
  for (unsigned k = slot ? slot - 1 : 0; k <= slot; ++k) {
    Value *w = wide_[k];
    if (!w)
      continue;
    if (!narrow_[k])
      narrow_[k] = b_.CreateTrunc(w, b_.getInt32Ty());
    if (!narrow_[k + 1])
      narrow_[k + 1] = b_.CreateTrunc(b_.CreateLShr(w, 32), b_.getInt32Ty());
    wide_[k] = nullptr;
  }
}

Value *Scalars::read32(unsigned slot) {
  if (isPending(slot))
    runQueue();
  if (Value *x = narrow_[slot])
    return x;
  Value *&x = narrow_[slot];
  if (Value *w = wide_[slot])
    x = b_.CreateTrunc(w, b_.getInt32Ty());
  else if (Value *below = slot ? wide_[slot - 1] : nullptr)
    x = b_.CreateTrunc(b_.CreateLShr(below, 32), b_.getInt32Ty());
  else
    x = b_.CreateAlignedLoad(b_.getInt32Ty(), address(slot), Align(4));
  return x;
}

Value *Scalars::read64(unsigned slot) {
  if (isPending(slot) || pending_[slot + 1] >= 0)
    runQueue();
  if (Value *w = wide_[slot])
    return w;
  const bool known = narrow_[slot] || narrow_[slot + 1] || (slot && wide_[slot - 1]) ||
                     (slot + 1 < isa::Sgpr::slots && wide_[slot + 1]);
  Value *w;
  if (known) {
    Value *lo = b_.CreateZExt(read32(slot), b_.getInt64Ty());
    Value *hi = b_.CreateZExt(read32(slot + 1), b_.getInt64Ty());
    w = b_.CreateOr(lo, b_.CreateShl(hi, 32));
  } else {
    w = b_.CreateAlignedLoad(b_.getInt64Ty(), address(slot), Align(4));
  }
  // Overlapping pairs would have to be kept in step: only one covers a slot.
  if ((!slot || !wide_[slot - 1]) && (slot + 1 >= isa::Sgpr::slots || !wide_[slot + 1]))
    wide_[slot] = w;
  return w;
}

void Scalars::write32(unsigned slot, Value *x) {
  if (maskDwords_ == 1)
    pending_[slot] = -1; // overwritten before anybody asked
  else if (isPending(slot))
    runQueue();
  split(slot);
  narrow_[slot] = x;
  dirty_[slot] = true;
}

void Scalars::write64(unsigned slot, Value *x) {
  if (overlapsPending(slot))
    runQueue();
  pending_[slot] = -1; // overwritten before anybody asked
  if (maskDwords_ == 1)
    pending_[slot + 1] = -1;
  split(slot);
  split(slot + 1);
  narrow_[slot] = narrow_[slot + 1] = nullptr;
  wide_[slot] = x;
  dirty_[slot] = dirty_[slot + 1] = true;
}

void Scalars::setPending(unsigned slot, int id) {
  if (maskDwords_ == 2)
    write64(slot, nullptr);
  else
    write32(slot, nullptr);
  pending_[slot] = id;
}

void Scalars::resolve(int id, Value *mask) {
  for (unsigned k = 0; k < isa::Sgpr::slots; ++k)
    if (pending_[k] == id) {
      pending_[k] = -1;
      (maskDwords_ == 2 ? wide_ : narrow_)[k] = mask;
    }
}

Value *Scalars::scc() {
  if (!scc_)
    scc_ = b_.CreateAlignedLoad(b_.getInt32Ty(),
                                b_.CreateConstGEP1_64(b_.getInt8Ty(), wave_, offsetof(Wave, scc)),
                                Align(4));
  return scc_;
}

void Scalars::setScc(Value *x) {
  scc_ = b_.CreateZExt(x, b_.getInt32Ty());
  sccDirty_ = true;
}

void Scalars::store() {
  for (unsigned k = 0; k < isa::Sgpr::slots; ++k) {
    if (!dirty_[k])
      continue;
    if (wide_[k] && k + 1 < isa::Sgpr::slots && dirty_[k + 1]) {
      b_.CreateAlignedStore(wide_[k], address(k), Align(4));
      dirty_[k] = dirty_[k + 1] = false;
    } else {
      b_.CreateAlignedStore(read32(k), address(k), Align(4));
      dirty_[k] = false;
    }
  }
  if (sccDirty_)
    b_.CreateAlignedStore(scc_, b_.CreateConstGEP1_64(b_.getInt8Ty(), wave_, offsetof(Wave, scc)),
                          Align(4));
  sccDirty_ = false;
}

void Scalars::forget() {
  narrow_.fill(nullptr);
  wide_.fill(nullptr);
  scc_ = nullptr;
}

void Scalars::forget(unsigned slot, unsigned count) {
  for (unsigned k = slot; k < slot + count && k < isa::Sgpr::slots; ++k) {
    split(k);
    narrow_[k] = nullptr;
  }
}

} // namespace meld::softgpu::translate
