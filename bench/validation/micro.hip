// The microbenchmarks behind `meld-bench validate`: short kernels that each spend their time on one
// thing, written as anyone would write them for a device. For every launch the program prints
//
//   micro NAME OPERATIONS
//
// in launch order. A name that comes twice is a short and a long version of one kernel: the cycles
// of the difference divided by the operations of the difference are the cost of one operation;
// launch, set-up and loops cancel. A name that comes once is judged by its counters.
//
//   --times N   each body N times, for a device whose time stamps are coarser than the bodies are
//               short (1; the rings and arrays of the memory launches grow with it, up to 64 times)
//   --clock     two launches more, "clock", of which the operations are ticks of the device's clock
//               counter (s_memtime) between their beginning and their end
//
// Before them it says what it runs on: "device KEY VALUE", a line each.
#include "bench/kernels/harness.h"

#include <utility>

/// --times; a loop around each body. The host sets it by name.
__constant__ unsigned bodies = 1;

namespace {

typedef float float4v __attribute__((ext_vector_type(4)));

#define MICRO_TIMES for (unsigned again = 0; again < bodies; ++again)

// `Count` times one instruction, each waiting for the one before.
#define MICRO_CHAIN(name, type, text)                                                              \
  template <int Count> __global__ void name(type *out, type start, type other) {                   \
    type x = start + type(threadIdx.x);                                                            \
    const type y = other + type(threadIdx.x);                                                      \
    MICRO_TIMES _Pragma("unroll") for (int i = 0; i < Count;                                       \
                                       ++i) asm volatile(text : "+v"(x) : "v"(y));                 \
    out[threadIdx.x] = x;                                                                          \
  }
MICRO_CHAIN(valuAdd, float, "v_add_f32 %0, %0, %1")
MICRO_CHAIN(valuFma, float, "v_fma_f32 %0, %0, %1, %1")
MICRO_CHAIN(valuInteger, unsigned, "v_and_b32 %0, %0, %1")
MICRO_CHAIN(valuMultiply, unsigned, "v_mul_lo_u32 %0, %0, %1")
MICRO_CHAIN(valuRoot, float, "v_sqrt_f32 %0, %0")
MICRO_CHAIN(valuDouble, double, "v_fma_f64 %0, %0, %1, %1")

template <int Count> __global__ void oneLane(float *out, float start, float other) {
  float x = start;
  if (threadIdx.x == 0)
    MICRO_TIMES
#pragma unroll
  for (int i = 0; i < Count; ++i)
    asm volatile("v_add_f32 %0, %0, %1" : "+v"(x) : "v"(other));
  out[threadIdx.x] = x;
}

template <int Count> __global__ void scalarAdd(unsigned *out, unsigned start, unsigned) {
  unsigned x = start;
  MICRO_TIMES
#pragma unroll
  for (int i = 0; i < Count; ++i)
    asm volatile("s_add_u32 %0, %0, 3" : "+s"(x) : : "scc");
  out[threadIdx.x] = x;
}

template <int Count> __global__ void noOperation(unsigned *, unsigned, unsigned) {
  MICRO_TIMES
#pragma unroll
  for (int i = 0; i < Count; ++i)
    asm volatile("s_nop 0");
}

template <int Count> __global__ void readClock(unsigned *out, unsigned, unsigned) {
  unsigned long x = 0;
  MICRO_TIMES
#pragma unroll
  for (int i = 0; i < Count; ++i)
    asm volatile("s_memtime %0\n s_waitcnt lgkmcnt(0)" : "=s"(x));
  out[threadIdx.x] = static_cast<unsigned>(x);
}

// The kernel's argument is there from here on, not loaded while what is measured runs.
#define MICRO_LOADED(pointer) asm volatile("" : "+s"(pointer))

// A jump to the next instruction, a branch that is not taken, and a scalar instruction that reads what
// a vector instruction wrote, each one behind the other.
template <int Count> __global__ void jumps(unsigned *out, unsigned, unsigned) {
  MICRO_LOADED(out);
  MICRO_TIMES asm volatile(".rept %c0\n s_branch 0\n .endr" : : "i"(Count));
  out[threadIdx.x] = 0;
}
template <int Count> __global__ void noJumps(unsigned *out, unsigned, unsigned) {
  MICRO_LOADED(out);
  MICRO_TIMES asm volatile("s_cmp_eq_u32 0, 0\n s_nop 0\n .rept %c0\n s_cbranch_scc0 0\n .endr"
                           :
                           : "i"(Count)
                           : "scc");
  out[threadIdx.x] = 0;
}
template <int Count> __global__ void scalarOfVector(unsigned *out, unsigned, unsigned) {
  MICRO_LOADED(out);
  MICRO_TIMES asm volatile(
      ".rept %c0\n v_cmp_eq_u32 vcc, v0, v0\n s_and_b64 s[40:41], vcc, vcc\n .endr"
      :
      : "i"(Count)
      : "vcc", "s40", "s41", "scc");
  out[threadIdx.x] = 0;
}
__global__ void empty() {}

// Without this the compiler drops an array that only inline assembly reads.
template <class T> __device__ void keep(T *array) { asm volatile("" : : "v"(array) : "memory"); }

// What a load brings is the address of the next one. LDS starts at address 0.
template <int Count> __global__ void ldsChase(unsigned *out, unsigned, unsigned) {
  __shared__ unsigned next[64];
  next[threadIdx.x] = threadIdx.x * 4;
  keep(next);
  __syncthreads();
  unsigned at = threadIdx.x * 4;
  MICRO_TIMES
#pragma unroll
  for (int i = 0; i < Count; ++i)
    asm volatile("ds_read_b32 %0, %0\n s_waitcnt lgkmcnt(0)" : "+v"(at) : : "memory");
  out[threadIdx.x] = at;
}

// LDS accesses one behind the other, `stride` bytes from lane to lane.
#define MICRO_LDS(name, text)                                                                      \
  template <int Count> __global__ void name(unsigned *out, unsigned stride, unsigned) {            \
    __shared__ unsigned table[64 * 32];                                                            \
    const unsigned at = threadIdx.x % 64 * stride;                                                 \
    float4v x = {1, 2, 3, 4};                                                                      \
    MICRO_TIMES _Pragma("unroll") for (int i = 0; i < Count;                                       \
                                       ++i) asm volatile(text : "+v"(x) : "v"(at) : "memory");     \
    asm volatile("s_waitcnt lgkmcnt(0)" : "+v"(x));                                                \
    keep(table);                                                                                   \
    out[threadIdx.x] = static_cast<unsigned>(x[0]);                                                \
  }
MICRO_LDS(ldsRead128, "ds_read_b128 %0, %1")
MICRO_LDS(ldsWrite128, "ds_write_b128 %1, %0")

template <int Count> __global__ void ldsRead(unsigned *out, unsigned stride, unsigned) {
  __shared__ unsigned table[64 * 32];
  const unsigned at = threadIdx.x % 64 * stride;
  unsigned x = 0;
  keep(table);
  MICRO_TIMES
#pragma unroll
  for (int i = 0; i < Count; ++i)
    asm volatile("ds_read_b32 %0, %1" : "=v"(x) : "v"(at) : "memory");
  asm volatile("s_waitcnt lgkmcnt(0)" : "+v"(x));
  out[threadIdx.x] = x;
}

template <int Count> __global__ void ldsWrite(unsigned *out, unsigned stride, unsigned) {
  __shared__ unsigned table[64 * 32];
  const unsigned at = threadIdx.x % 64 * stride;
  keep(table);
  MICRO_TIMES
#pragma unroll
  for (int i = 0; i < Count; ++i)
    asm volatile("ds_write_b32 %0, %0" : : "v"(at) : "memory");
  asm volatile("s_waitcnt lgkmcnt(0)");
  out[threadIdx.x] = at;
}

// Global loads one behind the other, `stride` bytes from lane to lane; all but the first hit.
template <int Count>
__global__ void globalLoads(const unsigned *in, unsigned *out, unsigned stride) {
  const unsigned *at = in + threadIdx.x * stride / 4;
  unsigned x = 0;
  MICRO_TIMES
#pragma unroll
  for (int i = 0; i < Count; ++i)
    asm volatile("global_load_dword %0, %1, off" : "=v"(x) : "v"(at) : "memory");
  asm volatile("s_waitcnt vmcnt(0)" : "+v"(x));
  out[threadIdx.x] = x;
}

// Round a ring of pointers, in the vector and in the scalar cache.
__global__ void chase(void *start, unsigned steps, unsigned long *out) {
  unsigned long at = reinterpret_cast<unsigned long>(start);
  for (unsigned i = 0; i < steps; i += 32)
#pragma unroll
    for (int k = 0; k < 32; ++k)
      asm volatile("global_load_dwordx2 %0, %0, off\n s_waitcnt vmcnt(0)" : "+v"(at) : : "memory");
  out[threadIdx.x] = at;
}
template <int Count> __global__ void scalarChase(void *start, unsigned long *out) {
  unsigned long at = reinterpret_cast<unsigned long>(start);
  MICRO_TIMES
#pragma unroll
  for (int k = 0; k < Count; ++k)
    asm volatile("s_load_dwordx2 %0, %0, 0x0\n s_waitcnt lgkmcnt(0)" : "+s"(at) : : "memory");
  out[threadIdx.x] = at;
}

// 16 KiB a step, read once.
__global__ void stream(const float4v *in, float *out, unsigned steps) {
  float4v sum = {};
  for (unsigned i = 0; i < steps; ++i)
    sum += in[i * blockDim.x + threadIdx.x];
  out[threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3];
}

// 16 KiB a step, written once.
__global__ void streamOut(float4v *out, unsigned steps) {
  for (unsigned i = 0; i < steps; ++i)
    out[i * blockDim.x + threadIdx.x] = float4v{1, 2, 3, 4};
}

// A binary tree of branches on the bits of the lane: with depth 3 eight leaves of `Count`
// additions. The leaf's number is an operand, so that no compiler joins two leaves.
template <int Depth, int Count, int Leaf>
__device__ __forceinline__ void leaves(unsigned lane, float &x) {
  if constexpr (Depth == 0) {
#pragma unroll
    for (int i = 0; i < Count; ++i)
      asm volatile("v_add_f32 %0, %0, %0 ; leaf %c1" : "+v"(x) : "i"(Leaf));
  } else if (lane >> (Depth - 1) & 1) {
    leaves<Depth - 1, Count, 2 * Leaf + 1>(lane, x);
  } else {
    leaves<Depth - 1, Count, 2 * Leaf>(lane, x);
  }
}
template <int Depth, int Count> __global__ void divergence(float *out) {
  MICRO_LOADED(out);
  float x = 1;
  MICRO_TIMES leaves<Depth, Count, 1>(threadIdx.x, x);
  out[threadIdx.x] = x;
}

// Ticks of the clock counter from its beginning to its end.
__global__ void ticks(unsigned long *out, unsigned steps) {
  unsigned long begin = 0, end = 0;
  float x = 1;
  asm volatile("s_memtime %0\n s_waitcnt lgkmcnt(0)" : "=s"(begin));
  for (unsigned i = 0; i < steps; ++i)
    asm volatile("v_add_f32 %0, %0, %0" : "+v"(x));
  asm volatile("s_memtime %0\n s_waitcnt lgkmcnt(0)" : "=s"(end) : "v"(x));
  out[threadIdx.x] = end - begin;
}

// A kernel of so many vector registers.
#define MICRO_REGISTERS(count, last)                                                               \
  __global__ __launch_bounds__(64) void registers##count(float *out) {                             \
    asm volatile("v_mov_b32 " last ", 0" : : : last);                                              \
    out[threadIdx.x] = 0;                                                                          \
  }
#define MICRO_EACH_REGISTERS(X)                                                                    \
  X(24, "v23")                                                                                     \
  X(28, "v27")                                                                                     \
  X(32, "v31")                                                                                     \
  X(36, "v35")                                                                                     \
  X(40, "v39")                                                                                     \
  X(48, "v47")                                                                                     \
  X(64, "v63")                                                                                     \
  X(72, "v71") X(80, "v79") X(84, "v83") X(96, "v95") X(128, "v127") X(168, "v167") X(256, "v255")
MICRO_EACH_REGISTERS(MICRO_REGISTERS)

void say(const std::string &name, double operations) {
  std::printf("micro %s %.0f\n", name.c_str(), operations);
}

/// A ring of pointers, each in a cache line of its own, `stride` bytes behind the one before.
struct Ring : bench::DeviceBuffer<unsigned long> {
  explicit Ring(size_t lines, size_t stride = 64) : DeviceBuffer(lines * (stride / 8)) {
    const size_t words = stride / 8;
    std::vector<unsigned long> host(lines * words);
    for (size_t i = 0; i < lines; ++i)
      host[i * words] = reinterpret_cast<unsigned long>(get() + (i + 1) % lines * words);
    upload(host);
  }
};

template <int... Depth>
void runDivergence(float *out, unsigned times, std::integer_sequence<int, Depth...>) {
  const auto one = [&](auto shortOne, auto longOne, int depth) {
    const std::string name = "divergence-" + std::to_string(depth);
    say(name, 32.0 * times);
    shortOne<<<1, 64>>>(out);
    say(name, 96.0 * times);
    longOne<<<1, 64>>>(out);
  };
  (one(divergence<Depth, 32>, divergence<Depth, 96>, Depth), ...);
}

/// The first device's facts, of which none tells whose it is; "pci" is for whoever looks up its
/// clocks meanwhile.
void sayDevice() {
  hipDeviceProp_t device;
  int runtime = 0, driver = 0;
  HIP_CHECK(hipGetDeviceProperties(&device, 0));
  HIP_CHECK(hipRuntimeGetVersion(&runtime));
  HIP_CHECK(hipDriverGetVersion(&driver));
  std::printf("device name %s\n", device.name);
  std::printf("device arch %s\n", device.gcnArchName);
  std::printf("device units %d\n", device.multiProcessorCount);
  std::printf("device clock %.0f\n", device.clockRate / 1000.0); // MHz
  std::printf("device runtime %d\n", runtime);
  std::printf("device driver %d\n", driver);
  std::printf("device pci %04x:%02x:%02x.0\n", device.pciDomainID, device.pciBusID,
              device.pciDeviceID);
}

struct Asked {
  unsigned times = 1;
  bool clock = false;

  Asked(int argc, char **argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (word == "--clock") {
        clock = true;
      } else if (word == "--times" && i + 1 < argc) {
        times = static_cast<unsigned>(std::strtoul(argv[++i], nullptr, 10));
      } else {
        std::fprintf(word == "--help" ? stdout : stderr, "usage: %s [--times N] [--clock]\n",
                     argv[0]);
        std::exit(word == "--help" ? 0 : 2);
      }
    }
    if (times < 1 || times > 100000) {
      std::fprintf(stderr, "%s: --times is 1 to 100000\n", argv[0]);
      std::exit(2);
    }
  }
};

} // namespace

int main(int argc, char **argv) {
  const Asked asked(argc, argv);
  const unsigned times = asked.times;
  // What is read once has to be larger than the caches, and no launch may find what another read.
  const unsigned much = std::min(times, 64u);
  sayDevice();
  HIP_CHECK(hipMemcpyToSymbol(HIP_SYMBOL(bodies), &times, sizeof times));
  // Block of `threads`, twice: Count operations of each wave.
  const auto pair = [times](const std::string &name, auto shortOne, auto longOne, unsigned blocks,
                            unsigned threads, auto... arguments) {
    const double waves = blocks * ((threads + 63) / 64);
    say(name, 64 * waves * times);
    shortOne<<<blocks, threads>>>(arguments...);
    say(name, 192 * waves * times);
    longOne<<<blocks, threads>>>(arguments...);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize());
  };
  bench::DeviceBuffer<unsigned> words(1 << 16);
  bench::DeviceBuffer<double> doubles(1024);
  unsigned *out = words.get();
  float *floats = reinterpret_cast<float *>(out);
  pair("valu-add", valuAdd<64>, valuAdd<192>, 1, 64, floats, 1.0f, 2.0f);
  pair("valu-fma", valuFma<64>, valuFma<192>, 1, 64, floats, 1.0f, 2.0f);
  pair("valu-integer", valuInteger<64>, valuInteger<192>, 1, 64, out, 1u, 2u);
  pair("valu-multiply", valuMultiply<64>, valuMultiply<192>, 1, 64, out, 1u, 2u);
  pair("valu-root", valuRoot<64>, valuRoot<192>, 1, 64, floats, 1.0f, 2.0f);
  pair("valu-double", valuDouble<64>, valuDouble<192>, 1, 64, doubles.get(), 1.0, 2.0);
  pair("valu-one-lane", oneLane<64>, oneLane<192>, 1, 64, floats, 1.0f, 2.0f);
  pair("salu-add", scalarAdd<64>, scalarAdd<192>, 1, 64, out, 1u, 2u);
  pair("read-clock", readClock<64>, readClock<192>, 1, 64, out, 1u, 2u);
  pair("jump", jumps<64>, jumps<192>, 1, 64, out, 1u, 2u);
  pair("no-jump", noJumps<64>, noJumps<192>, 1, 64, out, 1u, 2u);
  pair("scalar-of-vector", scalarOfVector<64>, scalarOfVector<192>, 1, 64, out, 1u, 2u);
  for (unsigned groups : {2048 * much, 6144 * much}) {
    say("dispatch", groups);
    empty<<<groups, 64>>>();
  }
  // Eight waves on each SIMD.
  pair("valu-rate", valuAdd<64>, valuAdd<192>, 2, 1024, floats, 1.0f, 2.0f);
  pair("salu-rate", scalarAdd<64>, scalarAdd<192>, 2, 1024, out, 1u, 2u);
  pair("nop-rate", noOperation<64>, noOperation<192>, 2, 1024, out, 1u, 2u);
  for (unsigned waves : {1u, 2u, 4u, 8u})
    pair("valu-waves-" + std::to_string(waves), valuAdd<64>, valuAdd<192>, waves, 256, floats, 1.0f,
         2.0f);

  pair("lds-latency", ldsChase<64>, ldsChase<192>, 1, 64, out, 0u, 0u);
  pair("lds-read", ldsRead<64>, ldsRead<192>, 1, 64, out, 4u, 0u);
  pair("lds-write", ldsWrite<64>, ldsWrite<192>, 1, 64, out, 4u, 0u);
  pair("lds-write-128", ldsWrite128<64>, ldsWrite128<192>, 1, 64, out, 16u, 0u);
  pair("lds-bandwidth", ldsRead128<64>, ldsRead128<192>, 1, 1024, out, 16u, 0u);
  for (unsigned lanes : {1u, 2u, 3u, 10u, 20u}) {
    say("lds-conflict-lanes-" + std::to_string(lanes), times);
    ldsRead<1><<<1, lanes>>>(out, 128u, 0u);
  }
  for (unsigned words : {0u, 1u, 2u, 4u, 8u, 16u, 32u})
    pair("lds-stride-" + std::to_string(words), ldsRead<64>, ldsRead<192>, 1, 64, out, 4 * words,
         0u);

  for (unsigned stride : {0u, 4u, 8u, 16u, 32u, 64u, 128u})
    pair("global-stride-" + std::to_string(stride), globalLoads<64>, globalLoads<192>, 1, 64,
         words.get(), out + (1 << 15), stride);
  const Ring small(32), middle(1024), large(4096 * much);
  bench::DeviceBuffer<unsigned long> end(64);
  const auto chasing = [&](const char *name, void *start, unsigned first, unsigned second) {
    for (unsigned steps : {first, second}) {
      say(name, steps);
      chase<<<1, 1>>>(start, steps, end.get());
    }
  };
  chasing("l1-latency", small.get(), 64 * times, 192 * times);
  chasing("l2-latency", middle.get(), 1024 * times, 2048 * times);
  for (unsigned begin : {0u, 2048u}) {
    const unsigned steps = (begin ? 1536 : 512) * much;
    say("memory-latency", steps);
    chase<<<1, 1>>>(large.get() + begin * much * 8, steps, end.get());
  }
  {
    const Ring pages(64, 2 << 20); // more pages than the unit's TLB has entries
    chasing("page-latency", pages.get(), 64 * times, 192 * times);
    HIP_CHECK(hipDeviceSynchronize());
  }
  pair("scalar-latency", scalarChase<64>, scalarChase<192>, 1, 64, small.get(), end.get());
  bench::DeviceBuffer<float> array(size_t(96) * 1024 * 4 * much);
  for (unsigned steps : {32 * much, 96 * much}) {
    say("memory-bandwidth", steps);
    stream<<<1, 1024>>>(reinterpret_cast<float4v *>(array.get()), floats, steps);
  }

  bench::DeviceBuffer<float> more(1664 * 4096); // three times the L2
  for (unsigned steps : {640u, 1664u}) {
    say("memory-write", steps);
    streamOut<<<1, 1024>>>(reinterpret_cast<float4v *>(more.get()), steps);
  }

  runDivergence(floats, times, std::integer_sequence<int, 0, 1, 2, 3, 4, 5, 6>());
#define MICRO_RUN(count, last)                                                                     \
  say("registers-" #count, 1);                                                                     \
  registers##count<<<1, 64>>>(floats);
  MICRO_EACH_REGISTERS(MICRO_RUN)
  for (unsigned steps :
       asked.clock ? std::vector<unsigned>{1u << 16, 3u << 16} : std::vector<unsigned>{}) {
    ticks<<<1, 64>>>(end.get(), steps);
    HIP_CHECK(hipDeviceSynchronize());
    say("clock", static_cast<double>(end.download().front()));
  }
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  return 0;
}
