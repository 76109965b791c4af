// A kernel that is launched again and again with arguments that stay, change a little, or are others
// altogether, compared with the host launch by launch:
//   random   arguments at random: same, similar, extreme, NaN, buffers that are one, bytes off their
//            alignment, other work-groups, grids that are no multiple of them
//   phases   the same arguments for many launches, then others
//   steady   always the same
//   counts   an argument that differs at every launch
//   turns    for two purposes in turns
//   graph    a graph whose node gets other arguments between its launches
//   threads  two threads with arguments of their own
//   forks    children that end in three ways while launches are under way
//   streams  streams that go while launches are under way
//   leaves   the process ends while launches are under way
// specialise PART LAUNCHES [SEED [MAPPED]]; MAPPED: a file that gets the names of what is mapped at the end
#include "tests/e2e/programs/check.h"

#include <atomic>
#include <cmath>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

constexpr unsigned kMost = 512;

struct Extra {
  int rounds;
  bool first, second; // and two bytes of nothing
  unsigned mask;
  struct {
    short shift;
    unsigned char steps;
  } inner;
};

struct Arguments {
  unsigned n = 300, order = 2, flags = 0;
  float scale = 1;
  double offset = 0;
  Extra extra{2, false, false, 0xffff, {1, 2}};
};

/// What one thread does. The table may be null, and source and target one.
__host__ __device__ inline void step(const unsigned *source, const unsigned char *bytes,
                                     unsigned *target, const unsigned *table, const Arguments &a,
                                     unsigned i) {
  unsigned x = target[i] * 31 + a.order;
  for (unsigned k = 0; k < a.order; ++k)
    x = x * 1664525u + (source[i] >> k);
  if (a.flags & 1)
    for (int k = 0; k < a.extra.rounds; ++k)
      x ^= x << (a.extra.inner.shift & 15);
  if (a.flags & 2)
    x += bytes[4 * i] | bytes[4 * i + 1] << 8 | bytes[4 * i + 2] << 16;
  if (table)
    x ^= table[x % 64];
  if (a.extra.first)
    x = x * 22695477u + 1;
  if (a.extra.second)
    x = (x >> 3) + a.extra.inner.steps;
  // What a scale is: NaN, an infinity, a zero of either sign.
  if (a.scale != a.scale)
    x += 17;
  else if (__builtin_signbit(a.scale))
    x += 23;
  else if (a.scale > 3)
    x += 29;
  if (a.offset > 1e300)
    x ^= 0x55;
  target[i] = x & (a.extra.mask | 0xff);
  x = source[i]; // the target's new value where both are one
  target[i] += x & 7;
}

__global__ void run(const unsigned *source, const unsigned char *bytes, unsigned *target,
                    const unsigned *table, unsigned n, unsigned order, unsigned flags, float scale,
                    double offset, Extra extra) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    step(source, bytes, target, table, {n, order, flags, scale, offset, extra}, i);
}

/// A stream, its buffers, and the same on the host.
class Line {
public:
  explicit Line(unsigned seed) : random_(seed) {
    HIP(hipStreamCreate(&stream_));
    for (auto *words : {&source_, &target_, &bytes_})
      for (unsigned &word : *words)
        word = static_cast<unsigned>(random_());
    for (unsigned &word : table_)
      word = static_cast<unsigned>(random_());
    const auto copy = [](auto &to, const std::vector<unsigned> &from) {
      HIP(hipMalloc(reinterpret_cast<void **>(&to), 4 * from.size()));
      HIP(hipMemcpy(to, from.data(), 4 * from.size(), hipMemcpyHostToDevice));
    };
    copy(dSource_, source_);
    copy(dTarget_, target_);
    copy(dBytes_, bytes_);
    copy(dTable_, table_);
  }

  void launch(const Arguments &a) {
    next(a);
    void *arguments[] = {&now_.source,   &now_.bytes,   &now_.target,  &now_.table,
                         &now_.a.n,      &now_.a.order, &now_.a.flags, &now_.a.scale,
                         &now_.a.offset, &now_.a.extra};
    HIP(hipLaunchKernel(reinterpret_cast<const void *>(run), dim3(now_.groups), dim3(now_.threads),
                        arguments, 0, stream_));
  }

  /// The same through a graph, made once: its node gets the arguments.
  void launchGraph(const Arguments &a) {
    next(a);
    void *arguments[] = {&now_.source,   &now_.bytes,   &now_.target,  &now_.table,
                         &now_.a.n,      &now_.a.order, &now_.a.flags, &now_.a.scale,
                         &now_.a.offset, &now_.a.extra};
    hipKernelNodeParams p{};
    p.func = reinterpret_cast<void *>(run);
    p.gridDim = dim3(now_.groups);
    p.blockDim = dim3(now_.threads);
    p.kernelParams = arguments;
    if (!instance_) {
      HIP(hipGraphCreate(&graph_, 0));
      HIP(hipGraphAddKernelNode(&node_, graph_, nullptr, 0, &p));
      HIP(hipGraphInstantiate(&instance_, graph_, nullptr, nullptr, 0));
    } else {
      HIP(hipGraphExecKernelNodeSetParams(instance_, node_, &p));
    }
    HIP(hipGraphLaunch(instance_, stream_));
    HIP(hipStreamSynchronize(stream_));
  }

  /// The stream goes with what is under way in it.
  void newStream() {
    HIP(hipStreamDestroy(stream_));
    HIP(hipDeviceSynchronize());
    HIP(hipStreamCreate(&stream_));
  }

  bool isRight() {
    std::vector<unsigned> got(kMost);
    HIP(hipMemcpyAsync(got.data(), dTarget_, 4 * kMost, hipMemcpyDeviceToHost, stream_));
    HIP(hipStreamSynchronize(stream_));
    return got == target_;
  }
  std::mt19937 &random() { return random_; }
  bool varied = false; ///< shapes, aliases and null pointers differ from launch to launch

private:
  void next(const Arguments &a) {
    now_.a = a;
    // What lies between a structure's members is anything.
    unsigned char *hole = reinterpret_cast<unsigned char *>(&now_.a.extra) + 6;
    hole[0] = static_cast<unsigned char>(random_());
    const unsigned odd = varied ? static_cast<unsigned>(random_() % 16) : 0;
    const bool one = odd == 1, off = odd == 2, noTable = odd == 3 || odd == 4;
    now_.threads = odd == 5 ? 32 : odd == 6 ? 100 : 64;
    now_.groups = (a.n + now_.threads - 1) / now_.threads;
    now_.source = one ? dTarget_ : dSource_;
    now_.target = dTarget_;
    now_.bytes = reinterpret_cast<unsigned char *>(dBytes_) + off;
    now_.table = noTable ? nullptr : dTable_;
    const auto *bytes = reinterpret_cast<const unsigned char *>(bytes_.data()) + off;
    for (unsigned i = 0; i < a.n; ++i)
      step(one ? target_.data() : source_.data(), bytes, target_.data(),
           noTable ? nullptr : table_.data(), a, i);
  }

  struct {
    const unsigned *source;
    const unsigned char *bytes;
    unsigned *target;
    const unsigned *table;
    Arguments a;
    unsigned groups, threads;
  } now_{};
  std::mt19937 random_;
  std::vector<unsigned> source_ = std::vector<unsigned>(kMost),
                        target_ = std::vector<unsigned>(kMost),
                        bytes_ = std::vector<unsigned>(kMost + 1),
                        table_ = std::vector<unsigned>(64);
  unsigned *dSource_, *dTarget_, *dBytes_, *dTable_;
  hipStream_t stream_;
  hipGraph_t graph_ = nullptr;
  hipGraphExec_t instance_ = nullptr;
  hipGraphNode_t node_ = nullptr;
};

template <class T> static T oneOf(std::mt19937 &random, std::initializer_list<T> values) {
  return values.begin()[random() % values.size()];
}

/// Often what it was, often a little different, sometimes anything.
static void change(Arguments &a, std::mt19937 &random) {
  switch (random() % 24) {
  case 0:
    a.n = oneOf<unsigned>(random, {1, 2, 63, 64, 65, 300, 512});
    break;
  case 1:
    a.order = oneOf<unsigned>(random, {0, 1, 2, 3, 4, 7});
    break;
  case 2:
    a.flags = oneOf<unsigned>(random, {0, 1, 2, 3, 0xffffffff, 0x80000000});
    break;
  case 3:
    a.scale = oneOf<float>(random, {1, 0.f, -0.f, NAN, -INFINITY, INFINITY, 4, 1e-45f, -1e-45f});
    break;
  case 4:
    a.offset = oneOf<double>(random, {0., -0., 1e308, std::nan(""), 5e-324});
    break;
  case 5:
    a.extra.rounds = oneOf<int>(random, {0, 1, 2, 5, -1, INT32_MIN});
    break;
  case 6:
    a.extra.first = !a.extra.first;
    break;
  case 7:
    a.extra.second = !a.extra.second;
    break;
  case 8:
    a.extra.mask = oneOf<unsigned>(random, {0, 0xff, 0xffff, 0xffffffff});
    break;
  case 9:
    a.extra.inner.shift = static_cast<short>(random() % 20);
    break;
  case 10:
    a = Arguments();
    break;
  default:
    break;
  }
}

/// Of a child that does nothing with the device.
static bool endsWell(int way) {
  const pid_t child = fork();
  if (child == 0) {
    if (way == 0 && HIP_VERSION_MAJOR < 6) // the child of a fork faults in HIP 6's own exit handlers
      std::exit(0);
    if (way == 1)
      execl("/bin/true", "true", nullptr);
    _exit(0);
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void runLine(const std::string &part, int launches, unsigned seed) {
  Line line(seed);
  line.varied = part == "random";
  Arguments a;
  if (part == "threads" && seed % 2)
    a.order = 4;
  bool right = true;
  for (int i = 0; i < launches && right; ++i) {
    if (part == "random" || part == "graph")
      change(a, line.random());
    else if (part == "phases" && i % 100 == 99)
      for (int changes = 0; changes < 24; ++changes)
        change(a, line.random());
    else if (part == "counts")
      a.extra.mask = static_cast<unsigned>(i) * 977;
    if (part == "turns") {
      a.order = i % 2 ? 7 : 2;
      a.flags = i % 2 ? 1 : 0;
      a.extra.mask = static_cast<unsigned>(i) * 977;
    }
    if (part == "graph")
      line.launchGraph(a);
    else
      line.launch(a);
    if (part == "forks" && i % 16 == 7)
      EXPECT(endsWell(i / 16 % 3));
    if (part == "streams" && i % 16 == 7)
      line.newStream();
    if (i % 16 == 15 || i + 1 == launches)
      right = line.isRight();
    if (!right)
      std::fprintf(stderr, "seed %u: wrong in one of the 16 launches before %d\n", seed, i + 1);
  }
  EXPECT(right);
  for (int i = 0; part == "leaves" && i < 100; ++i)
    line.launch(a);
}

static void writeMapped(const char *path) {
  std::ifstream maps("/proc/self/maps");
  std::set<std::string> names;
  for (std::string line; std::getline(maps, line);)
    if (const size_t at = line.find('/');
        at != std::string::npos && line.find(".so", at) != std::string::npos)
      names.insert(line.substr(at));
  std::ofstream out(path);
  for (const std::string &name : names)
    out << name << '\n';
}

int main(int argc, char **argv) {
  const std::string part = argc > 1 ? argv[1] : "steady";
  const int launches = argc > 2 ? std::atoi(argv[2]) : 200;
  const unsigned seed = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1;
  if (part == "threads") {
    std::thread other(runLine, part, launches, seed + 1);
    runLine(part, launches, seed);
    other.join();
  } else {
    runLine(part, launches, seed);
  }
  if (argc > 4)
    writeMapped(argv[4]);
  std::puts(failures ? "FAIL" : "PASS");
  return failures != 0;
}
