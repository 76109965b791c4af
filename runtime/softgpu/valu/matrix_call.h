// How the handlers of matrix instructions call what computes their products.
#pragma once

#include "runtime/softgpu/valu/slow.h"

namespace meld::softgpu::valu {

/// What a call of a matrix instruction needs to know of the target.
struct Rules {
  bool flushes, negatesDoubles, ocp;
  /// MODE.FP16_OVFL: sums that are too large are the largest number of their sign ("CDNA4" ISA,
  /// 7.1.2, 7.1.5 and 7.5; nothing known of the others).
  bool limits;
};

using Product = void (*)(const isa::Inst &, Wave &, Rules);

template <Product P, bool IndexIsVector> const ExecInst *mfma(const ExecInst *i, Wave &w) {
  const isa::Inst &in = *i->inst;
  if (!vectorOperand(w, in.src[0]) || !vectorOperand(w, in.src[1]) || !vectorOperand(w, in.dst) ||
      (IndexIsVector && !vectorOperand(w, in.src[2])))
    return w.raise(i, FaultKind::illegalInstruction, "a matrix instruction needs vector operands");
  const bool ocp = isa::traitsOf(in.target).ocp;
  const Rules rules = {bool(i->flags & kFlushes), bool(i->flags & kNegatesDoubles), ocp,
                       ocp && w.mode & Mode::fp16Ovfl};
  // Whatever the host thread or MODE has, denormals included.
  callToNearest([&] { P(in, w, rules); });
  return following(i);
}

} // namespace meld::softgpu::valu
