// A random program in which LLVM 15 uses a register too early where it forms load clauses
// (passes/llvm_fixes/load_clauses.h), reduced from what a generator made. On gfx900, with any change by
// any pass, it gave other results than the host.
#include "check.h"
typedef unsigned u32;
#ifdef __HIP_DEVICE_COMPILE__
#define ATOM(p, v) atomicAdd(p, v)
#define VOTE(x) (u32) __popcll(__ballot(x))
#define SHFL(x) (u32) __builtin_amdgcn_readfirstlane((int)(x))
#define DPP(x) (u32) __builtin_amdgcn_update_dpp(0, (int)(x), 0x111, 15, 15, true)
#else
#define ATOM(p, v) (*(p) += (v))
#define VOTE(x) 0u
#define SHFL(x) 0u
#define DPP(x) 0u
#endif
__host__ __device__ inline void f9(const u32 *__restrict__ in, u32 *mine, u32 *lds, u32 *acc, u32 t,
                                   u32 n, u32 *out) {
  u32 v0 = in[t & 1023], v1 = in[(t * 7 + 3) & 1023], v2 = t, v3 = in[(t * 3 + n) & 1023];
  for (u32 o = 0; o < 3; ++o) {
    if (((((v3)*10u)) % 5u) > 0) {
      mine[(in[(v3)&1023]) & 15] = v0;
      if (!(((((((v3) ^ t)) + ((v2)&o))) & 3u) == 0)) {
        if (((v3) % 5u) > 0) {
          lds[(((v0) ^ (in[(((t) & (v1))) & 1023]))) & 7] ^= ((v0) | (19u));
          for (u32 i1 = 0; i1 < ((n)&3u) + 0u; ++i1) {
            v1 -= i1;
          }
          for (u32 i2 = 0; i2 < ((v1)&3u) + 1u; ++i2) {
            mine[(((i2) - (in[(v3)&1023]))) & 15] = ((mine[(v1)&15]) + (v1));
          }
        }
      }
      {
        u32 i4 = 0;
        do {
          v3 = 83u;
          mine[(v0)&15] = 62u;
          v1 = (71u / 3u);
          if ((((v0) + v1)) < (((((v1)&v3)) ^ ((n) ^ 62u))))
            break;
          if (!((((((n)&61u)) & 27u)) < (((((n)*53u)) + ((o)&25u))))) {
            if (((((((t)&v2)) ^ ((v0) ^ o))) % 3u) > 0) {
              for (u32 i5 = 0; i5 < ((i4)&7u) + 0u; ++i5) {
                v0 ^= ((in[(in[(t)&1023]) & 1023]) & (((((v1) ^ (i5))) & (i5))));
              }
            }
          } else {
            if ((((v1) * ((i4)&v3))) < (((((v3)*v1)) ^ ((v2) ^ 15u)))) {
              for (u32 i6 = 0; i6 < ((((((v3)*o)) ^ ((o) + 11u))) & 3u) + 0u; ++i6) {
                lds[(in[(((o) & (((n) ^ (v1))))) & 1023]) & 7] ^=
                    ((in[(i4)&1023]) + (((((v0) * (n))) ^ (mine[(v1)&15]))));
              }
            } else if ((((((n) ^ 35u)) * 61u)) < (((((v3) + v3)) & ((t)*32u)))) {
              for (u32 i7 = 0; i7 < ((t)&3u) + 1u; ++i7) {
                v2 += ((n) | (v1));
                mine[(t)&15] = (((43u) | (((o) >> ((v1)&15)))) / 10u);
              }
            }
            for (u32 i8 = 0; i8 < ((((((o)*50u)) + 59u)) & 7u) + 1u; ++i8) {
              v3 ^= 28u;
              v1 += ((87u) * (((v2 / 10u) / 3u)));
            }
          }
        } while (++i4 < ((((((t) ^ 21u)) & o)) & 7u) + 0u);
      }
      v2 += in[(in[(v0)&1023]) & 1023];
    } else {
      const u32 g9 = ((v1)*58u);
      if ((((((g9) & ((g9) ^ 15u))) >> 2) & 15u) < (n & 15u)) {
        {
          u32 i10 = 0;
          do {
            v1 = ((i10) & (n));
            v0 += 48u;
            v1 += in[(((v2) + (n))) & 1023];
            if (((((((o)*t)) ^ 58u)) % 3u) > 0)
              break;
            if (!((((((n) & ((o)*i10))) >> 2) & 15u) < (n & 15u))) {
              if ((v0) < (((((g9) + n)) ^ ((o)&56u)))) {
                lds[(o)&7] ^= ((o) * (10u));
                {
                  u32 i11 = 2u;
                  while ((i11 & 7u) != (((n) ^ 8u) & 7u) && i11 < 12u) {
                    v2 += 17u;
                    v0 += in[(v2)&1023];
                    if (((o) % 3u) > 0)
                      break;
                    ++i11;
                  }
                }
                {
                  u32 i12 = 1u;
                  while ((i12 & 7u) != (((v2) ^ 36u) & 7u) && i12 < 12u) {
                    v3 -= mine[(i12)&15];
                    v1 += mine[(i12)&15];
                    if (((((g9) * ((v3) ^ 11u))) % 5u) > 0)
                      break;
                    ++i12;
                  }
                }
              }
            } else {
              v3 += 95u;
              if (((((v3) & ((v2) ^ 52u))) % 3u) > 0) {
                for (u32 i13 = 0; i13 < ((((((v0) ^ t)) + ((v3)*v1))) & 7u) + 1u; ++i13) {
                  v3 ^= i13;
                }
              } else if (((n) % 3u) > 0) {
                for (u32 i14 = 0; i14 < ((v1)&7u) + 1u; ++i14) {
                  v1 = in[(n)&1023];
                  v1 -= i10;
                }
              }
              {
                u32 i15 = 0u;
                while ((i15 & 7u) != (((((t)*v2)) & 4u) & 7u) && i15 < 12u) {
                  ATOM(&acc[(n)&63], n);
                  v0 += in[(g9)&1023];
                  if ((((((((o)&n)) * v1)) >> 2) & 15u) < (n & 15u))
                    break;
                  ++i15;
                }
              }
            }
          } while (++i10 < ((((((n)*v1)) * 42u)) & 3u) + 0u);
        }
      }
    }
    v3 ^= ((((v2) + (33u))) + (v0));
    if ((((((((v3) ^ 36u)) ^ o)) >> 2) & 15u) < (t & 15u)) {
      for (u32 i16 = 0; i16 < ((o)&7u) + 0u; ++i16) {
        v1 += t;
        v2 -= v0;
        v0 += v1;
        v1 ^= 42u;
      }
    } else if ((((((o) + ((t)*v2))) >> 2) & 15u) < (n & 15u)) {
      for (u32 i25 = 0; i25 < ((((((v2) + 5u)) ^ 30u)) & 3u) + 0u; ++i25) {
        v0 += 22u;
        v3 += n;
        v0 = (((v2 / 7u)) - (in[(80u) & 1023]));
        v3 += in[(i25)&1023];
      }
      v1 += in[((((v1) * (v1)) / 3u)) & 1023];
    }
  }
  out[0] = v0;
  out[1] = v1;
  out[2] = v2;
  out[3] = v3;
}
__global__ void k9(const u32 *__restrict__ in, u32 *own, u32 *acc, u32 n, u32 *out) {
  __shared__ u32 sh[512];
  u32 t = blockIdx.x * blockDim.x + threadIdx.x;
  u32 *l = sh + threadIdx.x * 8;
  for (int i = 0; i < 8; ++i)
    l[i] = t + i;
  f9(in, own + t * 16, l, acc, t, n, out + t * 12);
  for (int i = 0; i < 8; ++i)
    out[t * 12 + 4 + i] = l[i];
}
typedef void (*HF)(const u32 *, u32 *, u32 *, u32 *, u32, u32, u32 *);
int main() {
  const u32 threads = 128;
  std::vector<u32> in(1024), own(threads * 16), out(threads * 12, 0xee), acc(64);
  u32 x = 12345;
  for (u32 &value : in) {
    x = x * 1664525u + 1013904223u;
    value = x >> 20;
  }
  for (u32 i = 0; i < own.size(); ++i)
    own[i] = i * 3;
  Device<u32> dIn(in), dOwn(own), dOut(out), dAcc(acc);
  k9<<<2, 64>>>(dIn, dOwn, dAcc, 37u, dOut);
  for (u32 t = 0; t < threads; ++t) {
    u32 lds[8];
    for (u32 i = 0; i < 8; ++i)
      lds[i] = t + i;
    f9(in.data(), &own[t * 16], lds, acc.data(), t, 37u, &out[t * 12]);
    for (u32 i = 0; i < 8; ++i)
      out[t * 12 + 4 + i] = lds[i];
  }
  expectSame("out", dOut.host(), out);
  expectSame("own", dOwn.host(), own);
  expectSame("sums", dAcc.host(), acc);
  return verdict();
}
