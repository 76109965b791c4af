#include "runtime/softgpu/mem/lane_ops.h"

#include "runtime/softgpu/mem/atomics.h"

#include <array>

namespace meld::softgpu::mem {
namespace {

// The functions work on a copy of the job: stores to memory could change the original, as far as
// the compiler knows, and it would read the fields again for every lane.

// --- loads: memory type M, then how the register is built ---
enum class Half : uint8_t { whole, lo, hi };

template <class M, Half H> void loadSmall(const LaneJob &job) {
  const LaneJob j = job;
  forLanes(j.mask, [&](unsigned l) {
    M x = peek<M>(host(j.address[l]));
    uint32_t &r = j.dst->u[l];
    if constexpr (H == Half::whole)
      r = uint32_t(int32_t(x)); // sign- or zero-extends as M says
    else if constexpr (H == Half::lo)
      r = (r & 0xffff0000u) | uint16_t(x);
    else
      r = (r & 0xffffu) | uint32_t(uint16_t(x)) << 16;
  });
}

template <class M, Half H, unsigned L> void loadDense(VRow &row, uint8_t *memory) {
  M x[L];
  std::memcpy(x, memory, sizeof(x));
  for (unsigned l = 0; l < L; ++l) {
    uint32_t &r = row.u[l];
    if constexpr (H == Half::whole)
      r = uint32_t(int32_t(x[l]));
    else if constexpr (H == Half::lo)
      r = (r & 0xffff0000u) | uint16_t(x[l]);
    else
      r = (r & 0xffffu) | uint32_t(uint16_t(x[l])) << 16;
  }
}

template <class M, Half H, unsigned L> void storeDense(VRow &row, uint8_t *memory) {
  M x[L];
  for (unsigned l = 0; l < L; ++l)
    x[l] = M(H == Half::hi ? row.u[l] >> 16 : row.u[l]);
  std::memcpy(memory, x, sizeof(x));
}

template <unsigned N> void loadDwords(const LaneJob &job) {
  const LaneJob j = job;
  VRow *dst = j.dst;
  if (j.dwordStride != 4) {
    forLanes(j.mask, [&](unsigned l) {
      const uint8_t *p = host(j.address[l]);
      for (unsigned k = 0; k < N; ++k)
        dst[k].u[l] = peek<uint32_t>(p + size_t(k) * j.dwordStride);
    });
    return;
  }
  forLanes(j.mask, [&](unsigned l) {
    uint32_t x[N];
    peekDwords<N>(x, host(j.address[l]));
    for (unsigned k = 0; k < N; ++k)
      dst[k].u[l] = x[k];
  });
}

template <class M, Half H> void storeSmall(const LaneJob &job) {
  const LaneJob j = job;
  forLanes(j.mask, [&](unsigned l) {
    poke<M>(host(j.address[l]), M(H == Half::hi ? j.data->u[l] >> 16 : j.data->u[l]));
  });
}

template <unsigned N> void storeDwords(const LaneJob &job) {
  const LaneJob j = job;
  const VRow *d = j.data;
  if (j.dwordStride != 4) {
    forLanes(j.mask, [&](unsigned l) {
      uint8_t *p = host(j.address[l]);
      for (unsigned k = 0; k < N; ++k)
        poke<uint32_t>(p + size_t(k) * j.dwordStride, d[k].u[l]);
    });
    return;
  }
  forLanes(j.mask, [&](unsigned l) {
    uint8_t *p = host(j.address[l]);
    if constexpr (N == 1)
      return poke<uint32_t>(p, d[0].u[l]);
    if constexpr (N == 4)
      return poke16(p,
                    _mm_set_epi32(int(d[3].u[l]), int(d[2].u[l]), int(d[1].u[l]), int(d[0].u[l])));
    if constexpr (N >= 2)
      poke8(p, d[0].u[l] | uint64_t(d[1].u[l]) << 32);
    if constexpr (N == 3)
      poke<uint32_t>(p + 8, d[2].u[l]);
  });
}

// --- atomics ---
template <class T> T operand(const VRow *rows, unsigned l) {
  if constexpr (sizeof(T) == 8)
    return rows[0].u[l] | T(rows[1].u[l]) << 32;
  else
    return rows[0].u[l];
}

template <class Op>
typename Op::T sharedRmw(typename Op::T *p, typename Op::T d, typename Op::T d2, uint32_t mode) {
  using T = typename Op::T;
  if constexpr (std::is_same_v<Op, rmw::Add<T>>)
    return __atomic_fetch_add(p, d, __ATOMIC_SEQ_CST);
  else if constexpr (std::is_same_v<Op, rmw::Sub<T>>)
    return __atomic_fetch_sub(p, d, __ATOMIC_SEQ_CST);
  else if constexpr (std::is_same_v<Op, rmw::Swap<T>>)
    return __atomic_exchange_n(p, d, __ATOMIC_SEQ_CST);
  else if constexpr (std::is_same_v<Op, rmw::CmpSwap<T>>) {
    __atomic_compare_exchange_n(p, &d2, d, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return d2; // the old value either way
  } else {
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(p, &old, Op::apply(old, d, d2, mode), true,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
      ;
    return old;
  }
}

template <class Op, bool Returns> void putOld(const LaneJob &j, unsigned l, typename Op::T old) {
  if constexpr (Returns) {
    j.dst[0].u[l] = uint32_t(old);
    if constexpr (sizeof(old) == 8)
      j.dst[1].u[l] = uint32_t(old >> 32);
  }
}

/// All lanes of the job at one address: applies them in order to a private copy and exchanges once,
/// which is one of the orders the hardware may choose and costs one locked instruction instead
/// of 64.
template <class Op, bool Returns> void atomicOneAddress(const LaneJob &j) {
  using T = typename Op::T;
  T *p = reinterpret_cast<T *>(j.address[firstLane(j.mask)]);
  T old = __atomic_load_n(p, __ATOMIC_RELAXED), now, before[Returns ? kWaveSize : 1];
  do {
    now = old;
    forLanes(j.mask, [&](unsigned l) {
      if constexpr (Returns)
        before[l] = now;
      now = Op::apply(now, operand<T>(j.data, l), j.data2 ? operand<T>(j.data2, l) : T{}, j.mode);
    });
  } while (!__atomic_compare_exchange_n(p, &old, now, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  if constexpr (Returns)
    forLanes(j.mask, [&](unsigned l) { putOld<Op, true>(j, l, before[l]); });
}

template <class Op, bool Shared, bool Returns> void atomicLanes(const LaneJob &job) {
  const LaneJob j = job;
  using T = typename Op::T;
  if constexpr (Shared) {
    if (!j.mask)
      return;
    const uint64_t first = j.address[firstLane(j.mask)];
    uint64_t differs = 0;
    if (j.mask & (j.mask - 1))
      forLanes(j.mask, [&](unsigned l) { differs |= j.address[l] ^ first; });
    else
      differs = 1; // one lane: nothing to combine
    if (!differs)
      return atomicOneAddress<Op, Returns>(j);
  }
  forLanes(j.mask, [&](unsigned l) {
    T *p = reinterpret_cast<T *>(j.address[l]);
    T d = operand<T>(j.data, l), d2 = j.data2 ? operand<T>(j.data2, l) : T{}, old;
    if constexpr (Shared) {
      old = sharedRmw<Op>(p, d, d2, j.mode);
    } else {
      old = peek<T>(p);
      poke<T>(p, Op::apply(old, d, d2, j.mode));
    }
    putOld<Op, Returns>(j, l, old);
  });
}

template <class Op, bool Shared> constexpr LaneOp atomicOp(std::string_view name) {
  return {name,
          Action::atomic,
          sizeof(typename Op::T),
          sizeof(typename Op::T) / 4,
          atomicLanes<Op, Shared, false>,
          atomicLanes<Op, Shared, true>};
}

template <class M, Half H> constexpr LaneOp smallLoad(std::string_view name) {
  return {name,
          Action::load,
          sizeof(M),
          1,
          loadSmall<M, H>,
          nullptr,
          loadDense<M, H, kWaveSize>,
          loadDense<M, H, kWaveSize / 2>};
}
template <class M, Half H> constexpr LaneOp smallStore(std::string_view name) {
  return {name,
          Action::store,
          sizeof(M),
          1,
          storeSmall<M, H>,
          nullptr,
          storeDense<M, H, kWaveSize>,
          storeDense<M, H, kWaveSize / 2>};
}
constexpr LaneOp load(std::string_view name, unsigned bytes, LaneFn fn) {
  return {name, Action::load, uint8_t(bytes), uint8_t((bytes + 3) / 4), fn, nullptr};
}
constexpr LaneOp store(std::string_view name, unsigned bytes, LaneFn fn) {
  return {name, Action::store, uint8_t(bytes), uint8_t((bytes + 3) / 4), fn, nullptr};
}

using namespace rmw;
using u32 = uint32_t;
using u64 = uint64_t;

constexpr LaneOp kMemoryOps[] = {
    smallLoad<uint8_t, Half::whole>("load_ubyte"),
    smallLoad<int8_t, Half::whole>("load_sbyte"),
    smallLoad<uint16_t, Half::whole>("load_ushort"),
    smallLoad<int16_t, Half::whole>("load_sshort"),
    smallLoad<uint8_t, Half::lo>("load_ubyte_d16"),
    smallLoad<uint8_t, Half::hi>("load_ubyte_d16_hi"),
    smallLoad<int8_t, Half::lo>("load_sbyte_d16"),
    smallLoad<int8_t, Half::hi>("load_sbyte_d16_hi"),
    smallLoad<uint16_t, Half::lo>("load_short_d16"),
    smallLoad<uint16_t, Half::hi>("load_short_d16_hi"),
    load("load_dword", 4, loadDwords<1>),
    load("load_dwordx2", 8, loadDwords<2>),
    load("load_dwordx3", 12, loadDwords<3>),
    load("load_dwordx4", 16, loadDwords<4>),
    smallStore<uint8_t, Half::lo>("store_byte"),
    smallStore<uint8_t, Half::hi>("store_byte_d16_hi"),
    smallStore<uint16_t, Half::lo>("store_short"),
    smallStore<uint16_t, Half::hi>("store_short_d16_hi"),
    store("store_dword", 4, storeDwords<1>),
    store("store_dwordx2", 8, storeDwords<2>),
    store("store_dwordx3", 12, storeDwords<3>),
    store("store_dwordx4", 16, storeDwords<4>),
    atomicOp<Swap<u32>, true>("atomic_swap"),
    atomicOp<CmpSwap<u32>, true>("atomic_cmpswap"),
    atomicOp<Add<u32>, true>("atomic_add"),
    atomicOp<Sub<u32>, true>("atomic_sub"),
    atomicOp<Smin<u32>, true>("atomic_smin"),
    atomicOp<Umin<u32>, true>("atomic_umin"),
    atomicOp<Smax<u32>, true>("atomic_smax"),
    atomicOp<Umax<u32>, true>("atomic_umax"),
    atomicOp<And<u32>, true>("atomic_and"),
    atomicOp<Or<u32>, true>("atomic_or"),
    atomicOp<Xor<u32>, true>("atomic_xor"),
    atomicOp<Inc<u32>, true>("atomic_inc"),
    atomicOp<Dec<u32>, true>("atomic_dec"),
    atomicOp<Swap<u64>, true>("atomic_swap_x2"),
    atomicOp<CmpSwap<u64>, true>("atomic_cmpswap_x2"),
    atomicOp<Add<u64>, true>("atomic_add_x2"),
    atomicOp<Sub<u64>, true>("atomic_sub_x2"),
    atomicOp<Smin<u64>, true>("atomic_smin_x2"),
    atomicOp<Umin<u64>, true>("atomic_umin_x2"),
    atomicOp<Smax<u64>, true>("atomic_smax_x2"),
    atomicOp<Umax<u64>, true>("atomic_umax_x2"),
    atomicOp<And<u64>, true>("atomic_and_x2"),
    atomicOp<Or<u64>, true>("atomic_or_x2"),
    atomicOp<Xor<u64>, true>("atomic_xor_x2"),
    atomicOp<Inc<u64>, true>("atomic_inc_x2"),
    atomicOp<Dec<u64>, true>("atomic_dec_x2"),
    atomicOp<SubClamped, true>("atomic_csub"),
    atomicOp<CondSub, true>("atomic_cond_sub_u32"),
    atomicOp<OrderedAdd, true>("atomic_ordered_add_b64"),
    atomicOp<MinNumF<float>, true>("atomic_fmin_num"),
    atomicOp<MaxNumF<float>, true>("atomic_fmax_num"),
    atomicOp<CmpSwapF<float>, true>("atomic_fcmpswap"),
    atomicOp<MinF<float>, true>("atomic_fmin"),
    atomicOp<MaxF<float>, true>("atomic_fmax"),
    atomicOp<CmpSwapF<double>, true>("atomic_fcmpswap_x2"),
    atomicOp<MinF<double>, true>("atomic_fmin_x2"),
    atomicOp<MaxF<double>, true>("atomic_fmax_x2"),
    atomicOp<AddF32, true>("atomic_add_f32"),
    atomicOp<AddF32Kept, true>("atomic_add_f32_kept"),
    atomicOp<PkAddF16, true>("atomic_pk_add_f16"),
    atomicOp<PkAddBf16, true>("atomic_pk_add_bf16"),
    atomicOp<AddF64, true>("atomic_add_f64"),
    atomicOp<MinF<double>, true>("atomic_min_f64"),
    atomicOp<MaxF<double>, true>("atomic_max_f64"),
};

constexpr LaneOp kLdsOps[] = {
    load("read_b32", 4, loadDwords<1>),
    load("read_b64", 8, loadDwords<2>),
    load("read_b96", 12, loadDwords<3>),
    load("read_b128", 16, loadDwords<4>),
    smallLoad<uint8_t, Half::whole>("read_u8"),
    smallLoad<int8_t, Half::whole>("read_i8"),
    smallLoad<uint16_t, Half::whole>("read_u16"),
    smallLoad<int16_t, Half::whole>("read_i16"),
    smallLoad<uint8_t, Half::lo>("read_u8_d16"),
    smallLoad<uint8_t, Half::hi>("read_u8_d16_hi"),
    smallLoad<int8_t, Half::lo>("read_i8_d16"),
    smallLoad<int8_t, Half::hi>("read_i8_d16_hi"),
    smallLoad<uint16_t, Half::lo>("read_u16_d16"),
    smallLoad<uint16_t, Half::hi>("read_u16_d16_hi"),
    smallStore<uint8_t, Half::lo>("write_b8"),
    smallStore<uint16_t, Half::lo>("write_b16"),
    smallStore<uint8_t, Half::hi>("write_b8_d16_hi"),
    smallStore<uint16_t, Half::hi>("write_b16_d16_hi"),
    store("write_b32", 4, storeDwords<1>),
    store("write_b64", 8, storeDwords<2>),
    store("write_b96", 12, storeDwords<3>),
    store("write_b128", 16, storeDwords<4>),
    atomicOp<Add<u32>, false>("add_u32"),
    atomicOp<Sub<u32>, false>("sub_u32"),
    atomicOp<Rsub<u32>, false>("rsub_u32"),
    atomicOp<Inc<u32>, false>("inc_u32"),
    atomicOp<Dec<u32>, false>("dec_u32"),
    atomicOp<Smin<u32>, false>("min_i32"),
    atomicOp<Smax<u32>, false>("max_i32"),
    atomicOp<Umin<u32>, false>("min_u32"),
    atomicOp<Umax<u32>, false>("max_u32"),
    atomicOp<And<u32>, false>("and_b32"),
    atomicOp<Or<u32>, false>("or_b32"),
    atomicOp<Xor<u32>, false>("xor_b32"),
    atomicOp<Mskor<u32>, false>("mskor_b32"),
    atomicOp<Swap<u32>, false>("wrxchg_b32"),
    atomicOp<CmpSwap<u32>, false>("cmpst_b32"),
    atomicOp<CmpSwapF<float>, false>("cmpst_f32"),
    atomicOp<MinF<float>, false>("min_f32"),
    atomicOp<MaxF<float>, false>("max_f32"),
    atomicOp<LdsMinNumF<float>, false>("min_num_f32"),
    atomicOp<LdsMaxNumF<float>, false>("max_num_f32"),
    atomicOp<LdsMinNumF<double>, false>("min_num_f64"),
    atomicOp<LdsMaxNumF<double>, false>("max_num_f64"),
    atomicOp<CondSub, false>("cond_sub_u32"),
    atomicOp<SubClamped, false>("sub_clamp_u32"),
    atomicOp<LdsAddF32, false>("add_f32"),
    atomicOp<Wrap, false>("wrap_b32"),
    atomicOp<Add<u64>, false>("add_u64"),
    atomicOp<Sub<u64>, false>("sub_u64"),
    atomicOp<Rsub<u64>, false>("rsub_u64"),
    atomicOp<Inc<u64>, false>("inc_u64"),
    atomicOp<Dec<u64>, false>("dec_u64"),
    atomicOp<Smin<u64>, false>("min_i64"),
    atomicOp<Smax<u64>, false>("max_i64"),
    atomicOp<Umin<u64>, false>("min_u64"),
    atomicOp<Umax<u64>, false>("max_u64"),
    atomicOp<And<u64>, false>("and_b64"),
    atomicOp<Or<u64>, false>("or_b64"),
    atomicOp<Xor<u64>, false>("xor_b64"),
    atomicOp<Mskor<u64>, false>("mskor_b64"),
    atomicOp<Swap<u64>, false>("wrxchg_b64"),
    atomicOp<CmpSwap<u64>, false>("cmpst_b64"),
    atomicOp<CmpSwapF<double>, false>("cmpst_f64"),
    atomicOp<MinF<double>, false>("min_f64"),
    atomicOp<MaxF<double>, false>("max_f64"),
    atomicOp<AddF64, false>("add_f64"),
    atomicOp<PkAddF16, false>("pk_add_f16"),
    atomicOp<PkAddBf16, false>("pk_add_bf16"),
    atomicOp<LdsPkAddF16, false>("pk_add_f16_by_mode"),
    atomicOp<LdsPkAddBf16, false>("pk_add_bf16_by_mode"),
};

template <size_t N> const LaneOp *find(const LaneOp (&table)[N], std::string_view name) {
  for (const LaneOp &op : table)
    if (op.name == name)
      return &op;
  return nullptr;
}

} // namespace

// Linear searches: once per static instruction.
const LaneOp *findMemoryOp(std::string_view name) { return find(kMemoryOps, name); }
const LaneOp *findLdsOp(std::string_view name) { return find(kLdsOps, name); }

} // namespace meld::softgpu::mem
