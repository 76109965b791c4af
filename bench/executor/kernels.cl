// One kernel per class of work, for the executor's speed table. Only compiler builtins, so that no device library is
// needed. Every work-item writes one word, so nothing is optimised away.
typedef unsigned int uint32;
typedef unsigned long uint64;

static uint32 item(void) { return __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x(); }
static void barrier_all(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// Integer and f32 arithmetic, full EXEC.
kernel void alu(global uint32 *data, uint32 n) {
  uint32 t = item(), a = t, b = t ^ 0x9e3779b9;
  float f = t, g = 1.5f;
  for (uint32 k = 0; k < n; ++k) {
    a = a * 1664525 + b;
    b ^= a >> 7;
    f = __builtin_fmaf(f, 0.999f, g);
    b += k;
    g = f * 0.5f + g;
    a ^= b << 3;
  }
  data[t] = a + b + (uint32)(f + g);
}

// Double precision.
kernel void f64(global uint32 *data, uint32 n) {
  uint32 t = item();
  double x = t, y = 1.25;
  for (uint32 k = 0; k < n; ++k) {
    x = __builtin_fma(x, 0.75, y);
    y = y * 0.5 + x;
  }
  data[t] = (uint32)(x + y);
}

// Streams through memory, neighbouring lanes at neighbouring words.
kernel void linear(global uint32 *data, uint32 n) {
  uint32 t = item(), sum = 0;
  global float *f = (global float *)data;
  for (uint32 k = 0; k < n; ++k) {
    uint32 i = (t + k * 4096) & 0xfffff;
    f[i] = f[i] * 1.5f + f[i ^ 1];
  }
  data[t] += sum;
}

// Fields of records of 32 bytes: two lanes to a line.
kernel void strided(global uint32 *data, uint32 n) {
  uint32 t = item();
  for (uint32 k = 0; k < n; ++k) {
    uint32 i = (t + k * 4096) * 8 & 0xfffff;
    data[i + 3] = data[i] * 3 + (data[i + 1] ^ k);
  }
}

// Half of each: a row of a matrix comes in line by line, its transpose goes out 2 KiB apart.
kernel void mixed(global uint32 *data, uint32 n) {
  uint32 t = item(), row = t >> 9, column = t & 511;
  for (uint32 k = 0; k < n; ++k) {
    uint32 r = (row + k * 8) & 511;
    uint32 x = data[r * 512 + column] + data[(r ^ 1) * 512 + column];
    data[(1 << 18) + column * 512 + r] = x * k;
  }
}

// Every lane its own cache line, anywhere in 4 MiB.
kernel void gather(global uint32 *data, uint32 n) {
  uint32 t = item(), x = t;
  for (uint32 k = 0; k < n; ++k)
    x = data[(x * 2654435761u + k) & 0xfffff] + t;
  data[t] = x;
}

// A tile of LDS behind barriers.
kernel void lds(global uint32 *data, uint32 n) {
  local uint32 tile[256];
  uint32 t = __builtin_amdgcn_workitem_id_x();
  tile[t] = data[item()];
  for (uint32 k = 0; k < n; ++k) {
    barrier_all();
    uint32 x = tile[t ^ (1u << (k & 7))];
    barrier_all();
    tile[t] = x + t;
  }
  data[item()] = tile[t];
}

// Each lane its own number of rounds, two ways through each.
kernel void divergent(global uint32 *data, uint32 n) {
  uint32 t = item(), x = (t & 1023) + n, steps = 0;
  while (x != 1) {
    if (x & 1)
      x = 3 * x + 1;
    else
      x /= 2;
    ++steps;
  }
  data[t] = steps;
}

// A private array indexed by data: scratch memory.
kernel void scratch(global uint32 *data, uint32 n) {
  uint32 t = item();
  uint32 a[64];
  for (uint32 k = 0; k < 64; ++k)
    a[k] = t + k;
  for (uint32 k = 0; k < n; ++k) {
    uint32 i = data[k] & 63, j = (data[k] >> 8) + t & 63, x = a[i];
    a[i] = a[j];
    a[j] = x * 3 + k;
  }
  uint32 h = 0;
  for (uint32 k = 0; k < 64; ++k)
    h = h * 31 + a[k];
  data[t] = h;
}

// Loops and addresses in the scalar unit.
kernel void scalar(global uint32 *data, uint32 n) {
  uint32 h = __builtin_amdgcn_workgroup_id_x();
  for (uint32 k = 0; k < n; ++k)
    h = (h ^ data[(h + k) & 1023]) * 16777619u + (h >> 15);
  data[item()] = h;
}
