// Kernels that each stress one class of instructions; run in both tiers and timed.
// Only compiler builtins: no device library.
typedef unsigned int uint;
#define get_local_id(d) __builtin_amdgcn_workitem_id_x()
#define get_group_id(d) __builtin_amdgcn_workgroup_id_x()
#define get_global_id(d) (get_group_id(0) * 256 + get_local_id(0))
static uint bitsOf(float x) {
  union {
    float f;
    uint u;
  } v;
  v.f = x;
  return v.u;
}
#define max(x, y) ((x) > (y) ? (x) : (y))
#define min(x, y) ((x) < (y) ? (x) : (y))
static void barrier_all(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void aluMix(global uint *out, uint rounds, float scale) {
  const uint t = get_global_id(0);
  uint a = t * 2654435761u, b = t ^ 0x9e3779b9u;
  float x = (float)t * scale, y = 1.0f;
  for (uint k = 0; k < rounds; ++k) {
    a = (a << 5 | a >> 27) + b;
    b ^= a * 2246822519u;
    x = __builtin_fmaf(x, 0.999f, y);
    y = y * 0.5f + x;
    a += b >> 3 & 0xff;
    b = max(b, a) - min(a, k);
    x = x > 1000.0f ? x - 999.0f : x;
  }
  out[t] = a ^ b ^ bitsOf(x) ^ bitsOf(y);
}

__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void saxpy(global const float *x, global float *y, float a, uint n, uint step) {
  for (uint i = get_global_id(0); i < n; i += step)
    y[i] = a * x[i] + y[i];
}

__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void bitonic(global uint *data) {
  local uint s[256];
  const uint t = get_local_id(0), g = get_global_id(0);
  s[t] = data[g];
  barrier_all();
  for (uint k = 2; k <= 256; k *= 2)
    for (uint j = k / 2; j > 0; j /= 2) {
      const uint other = t ^ j;
      if (other > t) {
        const uint p = s[t], q = s[other];
        if ((p > q) == ((t & k) == 0)) {
          s[t] = q;
          s[other] = p;
        }
      }
      barrier_all();
    }
  data[g] = s[t];
}

__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void collatz(global uint *out) {
  const uint t = get_global_id(0);
  uint n = t + 1, steps = 0;
  while (n != 1) {
    n = n & 1 ? 3 * n + 1 : n >> 1;
    ++steps;
  }
  out[t] = steps;
}

__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void gemm(global const float *a, global const float *b, global float *c, uint n) {
  local float ta[16][16], tb[16][16];
  const uint x = get_local_id(0) % 16, y = get_local_id(0) / 16;
  const uint tiles = n / 16, col = get_group_id(0) % tiles * 16 + x,
             row = get_group_id(0) / tiles * 16 + y;
  float sum = 0;
  for (uint t = 0; t < n; t += 16) {
    ta[y][x] = a[row * n + t + x];
    tb[y][x] = b[(t + y) * n + col];
    barrier_all();
    for (uint k = 0; k < 16; ++k)
      sum += ta[y][k] * tb[k][x];
    barrier_all();
  }
  c[row * n + col] = sum;
}

__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void gather(global const uint *index, global const uint *data, global uint *out, uint rounds) {
  const uint t = get_global_id(0);
  uint at = index[t], sum = 0;
  for (uint k = 0; k < rounds; ++k) {
    at = index[at];
    sum += data[at];
  }
  out[t] = sum;
}

__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void doubles(global double *out, uint rounds) {
  const uint t = get_global_id(0);
  double x = t, y = 1.0;
  for (uint k = 0; k < rounds; ++k) {
    x = __builtin_fma(x, 0.9999, y);
    y = y * 0.5 + x;
    x = x > 1000.0 ? x - 999.0 : x;
  }
  out[t] = x + y;
}
