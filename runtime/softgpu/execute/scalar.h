// Scalar instructions: operand access and handler selection shared by scalar_alu.cpp and
// scalar_flow.cpp.
//
// An operation is a captureless lambda over values; from it five handlers are made: four for the
// mixes of SGPR and constant sources, and a slow one that also knows the sources whose value exists
// only at run time (SCC, EXECZ, apertures, ...).
#pragma once

#include "runtime/softgpu/execute/chain.h"
#include "runtime/softgpu/execute/special_source.h"
#include "runtime/softgpu/isa/decoder.h"

#include <type_traits>

namespace meld::softgpu::scalar {

/// ExecInst::src of a run-time source: this plus its 9-bit code.
inline constexpr uint16_t kSpecialSlot = 0x8000;

enum Sources : unsigned { bothSgpr = 0, imm0 = 1, imm1 = 2, anySource = 4 };

template <class T, unsigned Mix, unsigned K = 0>
inline T readSource(const ExecInst *i, const Wave &w) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  const unsigned slot = i->src[K];
  if constexpr (Mix == anySource) {
    if (slot == kImmSlot)
      return T(i->imm[K]);
    if (slot & kSpecialSlot)
      return T(specialSource(w, slot & 0x1ff));
  } else if constexpr ((Mix >> K) & 1) {
    return T(i->imm[K]);
  }
  if constexpr (sizeof(T) == 8)
    return T(w.s64(slot));
  else
    return T(w.s[slot]);
}

template <class T> inline void writeDst(const ExecInst *i, Wave &w, T x) {
  if constexpr (sizeof(T) == 8)
    w.setS64(i->dst, uint64_t(x));
  else
    w.s[i->dst] = uint32_t(x);
}

/// F(A, B, scc&) -> D, or void (only SCC).
template <class D, class A, class B, auto F> struct Two {
  template <unsigned Mix> static const ExecInst *run(const ExecInst *i, Wave &w) {
    const A a = readSource<A, Mix>(i, w);
    const B b = readSource<B, Mix, 1>(i, w);
    if constexpr (std::is_void_v<D>) {
      F(a, b, w.scc);
    } else {
      writeDst<D>(i, w, D(F(a, b, w.scc)));
    }
    return chain(i, w);
  }
};

/// F(A, Wave&) -> D. `Two`'s shape with one source.
template <class D, class A, auto F> struct One {
  template <unsigned Mix> static const ExecInst *run(const ExecInst *i, Wave &w) {
    const A a = readSource<A, Mix>(i, w);
    if constexpr (std::is_void_v<D>) {
      F(a, w);
    } else {
      D d = D(F(a, w));
      writeDst<D>(i, w, d);
    }
    return chain(i, w);
  }
};

template <class Body> Handler pick(const ExecInst &e) {
  const bool special = (e.src[0] != kImmSlot && e.src[0] & kSpecialSlot) ||
                       (e.src[1] != kImmSlot && e.src[1] & kSpecialSlot);
  if (special)
    return &Body::template run<anySource>;
  switch ((e.src[0] == kImmSlot ? imm0 : 0u) | (e.src[1] == kImmSlot ? imm1 : 0u)) {
  case bothSgpr:
    return &Body::template run<bothSgpr>;
  case imm0:
    return &Body::template run<imm0>;
  case imm1:
    return &Body::template run<imm1>;
  default:
    return &Body::template run<imm0 | imm1>;
  }
}

/// Resolves the operands; false: an operand of a kind scalar instructions do not have.
bool fillOperands(ExecInst &e);

Handler aluHandler(const ExecInst &e); ///< SOP2, SOP1, SOPC, SOPK arithmetic; nullptr: none of ours
bool prepareFlow(ExecInst &e,
                 isa::Target target); ///< branches, SOPP, hardware registers, GPR indexing

} // namespace meld::softgpu::scalar
