// What stands before the kernels in every generated file.
#include "tests/fuzz/source/generator.h"

namespace meld::fuzz::source {

const char *prelude() {
  return R"hip(#include <hip/hip_runtime.h>
typedef unsigned u32;
#if __AMDGCN_WAVEFRONT_SIZE == 32 || __AMDGCN_WAVEFRONT_SIZE__ == 32
#define VCC "vcc_lo"
#else
#define VCC "vcc"
#endif
typedef unsigned long long u64;
typedef unsigned short u16;
typedef unsigned char u8;
typedef signed char i8;
typedef _Float16 f16;
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
typedef u32 u32x2 __attribute__((ext_vector_type(2)));
typedef float f32x2 __attribute__((ext_vector_type(2)));
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef f16 f16x2 __attribute__((ext_vector_type(2)));
typedef short i16x2 __attribute__((ext_vector_type(2)));
#define INLINE static __device__ __attribute__((always_inline)) inline
#define NOINLINE static __device__ __attribute__((noinline))
#define INLINABLE static __device__ inline
// Divisions that are defined for every operand. Dividends stay below 2^31: LLVM 15 divides two
// values with many equal leading bits in floating point.
INLINE u32 udiv(u32 a, u32 b) { a &= 0x7fffffff; b &= 0x7fffffff; return b ? a / b : a; }
INLINE u32 urem(u32 a, u32 b) { a &= 0x7fffffff; b &= 0x7fffffff; return b ? a % b : a; }
INLINE int sdiv(int a, int b) { return b == 0 || b == -1 ? a : a / b; }
INLINE int srem(int a, int b) { return b == 0 || b == -1 ? a : a % b; }
INLINE u64 udiv64(u64 a, u64 b) { a >>= 1; b >>= 1; return b ? a / b : a; }
// Conversions that are defined for every operand.
INLINE int toInt(float x) { return x > -2.0e9f && x < 2.0e9f ? (int)x : 77; }
INLINE int toInt(double x) { return x > -2.0e9 && x < 2.0e9 ? (int)x : 78; }
INLINE int toInt(f16 x) { return toInt((float)x); }
INLINE u32 bitsOf(float x) { return x != x ? 0x7fc00000u : __builtin_bit_cast(u32, x); }
INLINE u64 bitsOf(double x) { return x != x ? 0x7ff8000000000000ull : __builtin_bit_cast(u64, x); }
INLINE u32 bitsOf(f16 x) { return x != x ? 0x7e00u : (u32)__builtin_bit_cast(u16, x); }
// Which zero comes out of these is not specified: there is only one zero in the result.
INLINE float lesser(float a, float b) { return __builtin_fminf(a, b) + 0.0f; }
INLINE float larger(float a, float b) { return __builtin_fmaxf(a, b) + 0.0f; }
INLINE double lesser(double a, double b) { return __builtin_fmin(a, b) + 0.0; }
INLINE double larger(double a, double b) { return __builtin_fmax(a, b) + 0.0; }
INLINE f16 lesser(f16 a, f16 b) { return a < b ? a : b; }
INLINE f16 larger(f16 a, f16 b) { return a > b ? a : b; }
struct Args { u32 x; u16 y; float z; u64 w; };
typedef u32 (*Function)(const u32 *, u32, u32);
NOINLINE bool tryLock(u32 *lock) { return atomicCAS(lock, 0u, 1u) == 0u; }
NOINLINE u32 peek(u32 *word) { return __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
// The lanes that are here. The assembly keeps LLVM from taking the vote of one place for another's, or
// from reading EXEC once for two.
INLINE u64 activeLanes(u32 own) { asm volatile("" : "+v"(own)); return __ballot(own != 0u); }
INLINE u32 firstActive(u32 own) { return (u32)__builtin_ctzll(activeLanes(own)); }
)hip";
}

} // namespace meld::fuzz::source
