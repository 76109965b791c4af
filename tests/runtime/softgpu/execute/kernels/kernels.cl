// Kernels for the executor's tests, compiled without any device library: only compiler builtins.
typedef unsigned int uint32;
typedef unsigned long uint64;

#define GLOBAL_FENCE() __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent")

static void barrier_all(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

static uint32 load_shared(global uint32 *p) {
  return __opencl_atomic_load((global atomic_uint *)p, __ATOMIC_ACQUIRE, 2 /* device */);
}
static void store_shared(global uint32 *p, uint32 x) {
  __opencl_atomic_store((global atomic_uint *)p, x, __ATOMIC_RELEASE, 2);
}
static uint32 add_shared(global uint32 *p, uint32 x) {
  return __opencl_atomic_fetch_add((global atomic_uint *)p, x, __ATOMIC_ACQ_REL, 2);
}

// One record per work-item: at its global position (from ids and the full workgroup size), its ids.
kernel void ids(global uint32 *out, uint32 wx, uint32 wy, uint32 wz, uint32 gx, uint32 gy) {
  uint32 x = __builtin_amdgcn_workgroup_id_x() * wx + __builtin_amdgcn_workitem_id_x();
  uint32 y = __builtin_amdgcn_workgroup_id_y() * wy + __builtin_amdgcn_workitem_id_y();
  uint32 z = __builtin_amdgcn_workgroup_id_z() * wz + __builtin_amdgcn_workitem_id_z();
  out[(z * gy + y) * gx + x] += x | y << 10 | z << 20;
}

kernel void linear(global uint32 *out) {
  uint32 x = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  out[x] += x + 1;
}

// Reverses 256 elements through LDS.
kernel void reverse(global const uint32 *in, global uint32 *out) {
  local uint32 tile[256];
  uint32 t = __builtin_amdgcn_workitem_id_x(), base = __builtin_amdgcn_workgroup_id_x() * 256;
  tile[t] = in[base + t];
  barrier_all();
  out[base + t] = tile[255 - t];
}

// Tree reduction: barriers in a loop, divergent work between them.
kernel void reduce(global const uint32 *in, global uint32 *out) {
  local uint32 tile[256];
  uint32 t = __builtin_amdgcn_workitem_id_x(), g = __builtin_amdgcn_workgroup_id_x();
  tile[t] = in[g * 256 + t];
  for (uint32 s = 128; s > 0; s >>= 1) {
    barrier_all();
    if (t < s)
      tile[t] += tile[t + s];
  }
  if (t == 0)
    out[g] = tile[0];
}

// Every lane its own number of iterations.
kernel void collatz(global uint32 *out) {
  uint32 x = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  uint32 n = x + 1, steps = 0;
  while (n != 1) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  out[x] = steps;
}

// Workgroup g waits for g - 1 (a look-back scan).
kernel void chain(global uint32 *flag) {
  uint32 g = __builtin_amdgcn_workgroup_id_x();
  if (__builtin_amdgcn_workitem_id_x() == 0) {
    uint32 before = 1;
    if (g > 0)
      while ((before = load_shared(flag + g - 1)) == 0)
        ;
    store_shared(flag + g, before + 1);
  }
}

// Everybody waits for everybody: a grid barrier. `nap`: with s_sleep.
kernel void grid_barrier(global uint32 *count, global uint32 *out, uint32 groups, uint32 nap) {
  if (__builtin_amdgcn_workitem_id_x() == 0) {
    add_shared(count, 1);
    while (load_shared(count) != groups)
      if (nap)
        __builtin_amdgcn_s_sleep(2);
  }
  barrier_all();
  out[__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x()] = load_shared(count);
}

// A lock that every work-item takes once.
kernel void locked(global uint32 *lock, global uint32 *sum) {
  for (uint32 lane = 0; lane < 64; ++lane)
    if (__builtin_amdgcn_workitem_id_x() == lane) {
      uint32 expected = 0;
      while (!__opencl_atomic_compare_exchange_strong((global atomic_uint *)lock, &expected, 1u, __ATOMIC_ACQ_REL,
                                                      __ATOMIC_ACQUIRE, 2))
        expected = 0;
      uint32 x = *(volatile global uint32 *)sum;
      *(volatile global uint32 *)sum = x + 1;
      store_shared(lock, 0);
    }
}

// Waits for the host to set flag, then answers.
kernel void wait_host(global uint32 *flag) {
  if (__builtin_amdgcn_workitem_id_x() == 0) {
    store_shared(flag + 1, 1);
    while (load_shared(flag) == 0)
      __builtin_amdgcn_s_sleep(1);
    store_shared(flag + 1, 2);
  }
}

kernel void forever(global uint32 *flag) {
  while (*(volatile global uint32 *)flag == 0) {
    barrier_all();
  }
}

// Lane 5 of wave 1 stores to `where`.
kernel void wild(global uint32 *out, uint64 where) {
  uint32 t = __builtin_amdgcn_workitem_id_x();
  global uint32 *p = t == 69 ? (global uint32 *)where : out + t;
  *p = t;
}

kernel void aborts(global uint32 *out) {
  if (out[__builtin_amdgcn_workitem_id_x()] == 7)
    __builtin_trap();
  out[__builtin_amdgcn_workitem_id_x()] = 1;
}

kernel void interrupts(global uint32 *out) {
  if (__builtin_amdgcn_workitem_id_x() == 0)
    __builtin_amdgcn_s_sendmsg(1, 77);
  out[__builtin_amdgcn_workitem_id_x()] = 3;
}

// A private array indexed by data: scratch memory through buffer and flat instructions.
kernel void scratch(global const uint32 *in, global uint32 *out, uint32 n) {
  uint32 t = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  uint32 a[64];
  for (uint32 k = 0; k < 64; ++k)
    a[k] = t + k;
  for (uint32 k = 0; k < n; ++k) {
    uint32 i = in[k] & 63, j = (in[k] >> 8) + t & 63;
    uint32 x = a[i];
    a[i] = a[j];
    a[j] = x * 3 + k;
  }
  uint32 h = 0;
  for (uint32 k = 0; k < 64; ++k)
    h = h * 31 + a[k];
  out[t] = h;
}

__attribute__((noinline)) static uint32 fib(uint32 n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
kernel void recursion(global uint32 *out) {
  uint32 t = __builtin_amdgcn_workitem_id_x();
  out[t] = fib(t & 15);
}

// One pointer for three address spaces: flat instructions and the apertures.
__attribute__((noinline)) static void bump(uint32 *p, uint32 x) { *(volatile uint32 *)p += x; }
kernel void anywhere(global uint32 *out, uint32 which) {
  local uint32 tile[64];
  uint32 mine[4];
  uint32 t = __builtin_amdgcn_workitem_id_x();
  tile[t] = 1000 + t;
  mine[t & 3] = 2000 + t;
  out[t] = 3000 + t;
  barrier_all();
  uint32 *p = (t + which) % 3 == 0 ? (uint32 *)&tile[t] : (t + which) % 3 == 1 ? (uint32 *)&mine[t & 3] : (uint32 *)&out[t];
  bump(p, 5);
  barrier_all();
  out[t] += tile[t] * 7 + ((volatile uint32 *)mine)[t & 3] * 11;
}

// Bits that depend on rounding and on denormals.
kernel void float_bits(global uint32 *out) {
  uint32 t = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  float a = (float)t * 0.1f, tiny = a * 1.0e-20f * 1.0e-20f;
  union { float f; uint32 u; } x, y;
  x.f = a * a + 0.3f;
  y.f = tiny + tiny;
  out[t] = x.u ^ y.u;
}

// Straight-line arithmetic for the speed test.
kernel void mix(global uint32 *out, uint32 n) {
  uint32 t = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  uint32 a = t, b = t ^ 0x9e3779b9;
  float f = t, g = 1.5f;
  for (uint32 k = 0; k < n; ++k) {
    a = a * 1664525 + b;
    b ^= a >> 7;
    f = __builtin_fmaf(f, 0.999f, g);
    b += k;
    g = f * 0.5f + g;
    a ^= b << 3;
  }
  out[t] = a + b + (uint32)(f + g);
}
