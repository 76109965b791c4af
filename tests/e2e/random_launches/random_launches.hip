// Launches at random, and a digest of what each of them left in memory: the same program with and
// without libmeld has to write the same digests.
//   one       a stream
//   mixed     three streams of different priorities; kernels of the program and of a module that is
//             loaded and unloaded; each way there is to launch; events between streams
//   graph     graphs of four nodes, whose parameters are changed between their launches
//   threads   three threads with streams and arguments of their own
// random_launches WAY LAUNCHES SEED KERNELS DIGESTS [WRONG]
// KERNELS: how many of them take part. DIGESTS: a file, eight bytes for each launch. WRONG: prints what
// that launch was.
#include "kernels.h"
#include "sequence.h"

#include <fstream>
#include <hip/hip_ext.h>
#include <map>
#include <string>
#include <thread>

constexpr unsigned kSlots = 64; ///< launches that are under way at once, each with its own memory

static uint64_t digest(const unsigned char *bytes, size_t count) {
  uint64_t value = 0xcbf29ce484222325;
  for (size_t i = 0; i < count; i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes + i, 8);
    value = (value ^ word) * 0x9e3779b97f4a7c15;
    value ^= value >> 29;
  }
  return value;
}

/// Launches made by one thread.
class Line {
public:
  Line(const std::vector<Kernel> &kernels, unsigned count, uint64_t seed, const std::string &module)
      : sequence(kernels, count, seed), kernels_(kernels), modulePath_(module),
        memory_(randomBelow<unsigned char>(kSlots * kMemory, 256, seed)) {
    int least = 0, greatest = 0;
    HIP(hipDeviceGetStreamPriorityRange(&least, &greatest));
    for (unsigned i = 0; i < streams_.size(); ++i)
      HIP(hipStreamCreateWithPriority(&streams_[i], hipStreamNonBlocking, i ? greatest : least));
    for (hipEvent_t *event : {&start_, &stop_, &between_})
      HIP(hipEventCreate(event));
    if (!module.empty())
      loadModule();
  }

  void one(const Launch &launch) { direct(launch, streams_[0]); }

  void mixed(const Launch &launch) {
    Random &random = sequence.random();
    const unsigned where = random.below(3);
    hipStream_t stream = streams_[where];
    if (random.below(8) == 0) {
      HIP(hipEventRecord(between_, streams_[random.below(3)]));
      HIP(hipStreamWaitEvent(stream, between_, 0));
    }
    if (random.below(600) == 0)
      loadModule();
    const unsigned how = random.below(32);
    const Kernel &kernel = kernels_[launch.kernel];
    if (kernel.ragged || how < 12)
      fromModule(launch, stream, how);
    else if (how < 16)
      timed(launch, stream);
    else if (how < 18)
      cooperative(launch, stream);
    else
      direct(launch, stream);
  }

  /// All four are of one kernel.
  void graph(const std::vector<Launch> &launches) {
    Graph &graph = graphs_.emplace(launches[0].kernel, Graph()).first->second;
    std::array<Prepared, 4> all;
    for (unsigned i = 0; i < 4; ++i) {
      Prepared &now = all[i] = prepare(launches[i]);
      const auto pointers = pointersOf(launches[i], now);
      hipKernelNodeParams p{};
      p.func = const_cast<void *>(kernels_[launches[i].kernel].function);
      p.gridDim = launches[i].shape.groups;
      p.blockDim = launches[i].shape.threads;
      p.sharedMemBytes = ldsOf(launches[i]);
      p.kernelParams = const_cast<void **>(pointers.data());
      if (graph.instance) {
        HIP(hipGraphExecKernelNodeSetParams(graph.instance, graph.nodes[i], &p));
        continue;
      }
      if (i == 0)
        HIP(hipGraphCreate(&graph.graph, 0));
      HIP(hipGraphAddKernelNode(&graph.nodes[i], graph.graph, i ? &graph.nodes[i - 1] : nullptr,
                                i ? 1 : 0, &p));
    }
    if (!graph.instance)
      HIP(hipGraphInstantiate(&graph.instance, graph.graph, nullptr, nullptr, 0));
    HIP(hipGraphLaunch(graph.instance, streams_[0]));
    HIP(hipStreamSynchronize(streams_[0])); // HIP 5.2's nodes keep one block each
  }

  /// Waits for what has been launched.
  void finish() {
    for (hipStream_t stream : streams_)
      HIP(hipStreamSynchronize(stream));
    if (used_ == 0)
      return;
    std::vector<unsigned char> got(used_ * kMemory);
    HIP(hipMemcpyAsync(got.data(), memory_, got.size(), hipMemcpyDeviceToHost, streams_[0]));
    HIP(hipStreamSynchronize(streams_[0]));
    for (unsigned i = 0; i < used_; ++i)
      digests.push_back(digest(got.data() + size_t{i} * kMemory, kMemory));
    used_ = 0;
  }
  bool isFull() const { return used_ == kSlots; }

  Sequence sequence;
  std::vector<uint64_t> digests;

private:
  struct Prepared {
    alignas(16) Block block;
  };
  struct Graph {
    hipGraph_t graph = nullptr;
    hipGraphExec_t instance = nullptr;
    std::array<hipGraphNode_t, 4> nodes{};
  };

  /// With addresses for places.
  Prepared prepare(const Launch &launch) {
    Prepared now{launch.block};
    const uint64_t own = reinterpret_cast<uint64_t>(memory_.get()) + uint64_t{used_++} * kMemory;
    for (const Field &field : kernels_[launch.kernel].fields) {
      if (field.kind == Kind::width)
        set(now.block, field, launch.shape.threads.x);
      if (!isPointer(field.kind))
        continue;
      uint64_t bits;
      std::memcpy(&bits, now.block.data() + field.offset, sizeof bits);
      const Place place = Place::of(bits);
      set(now.block, field,
          place.region < kRegions ? own + place.region * kRegion + place.offset : 0);
    }
    return now;
  }
  std::vector<void *> pointersOf(const Launch &launch, Prepared &now) const {
    std::vector<void *> pointers;
    for (const Kernel::Parameter &one : kernels_[launch.kernel].parameters)
      pointers.push_back(now.block.data() + one.offset);
    return pointers;
  }
  unsigned ldsOf(const Launch &launch) const {
    return kernels_[launch.kernel].dynamicLds ? 4 * launch.shape.items() : 0;
  }
  /// HIP has copied the arguments: what becomes of them is nobody's business.
  static void spoil(Prepared &now) { now.block.fill(0x5a); }

  void direct(const Launch &launch, hipStream_t stream) {
    Prepared now = prepare(launch);
    HIP(hipLaunchKernel(kernels_[launch.kernel].function, launch.shape.groups, launch.shape.threads,
                        pointersOf(launch, now).data(), ldsOf(launch), stream));
    spoil(now);
  }
  void timed(const Launch &launch, hipStream_t stream) {
    Prepared now = prepare(launch);
    HIP(hipExtLaunchKernel(kernels_[launch.kernel].function, launch.shape.groups,
                           launch.shape.threads, pointersOf(launch, now).data(), ldsOf(launch),
                           stream, start_, stop_, 0));
    spoil(now);
  }
  void cooperative(const Launch &launch, hipStream_t stream) {
    Prepared now = prepare(launch);
    HIP(hipLaunchCooperativeKernel(kernels_[launch.kernel].function, launch.shape.groups,
                                   launch.shape.threads, pointersOf(launch, now).data(),
                                   ldsOf(launch), stream));
    spoil(now);
  }
  void fromModule(const Launch &launch, hipStream_t stream, unsigned how) {
    Prepared now = prepare(launch);
    const auto &[g, t] = launch.shape;
    size_t bytes = kernels_[launch.kernel].bytes;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, now.block.data(),
                     HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes, HIP_LAUNCH_PARAM_END};
    hipFunction_t function = functions_[launch.kernel];
    if (kernels_[launch.kernel].ragged)
      HIP(hipExtModuleLaunchKernel(function, g.x * t.x - launch.missing, 1, 1, t.x, 1, 1, 0, stream,
                                   nullptr, extra, nullptr, nullptr, 0));
    else if (how % 3 == 0)
      HIP(hipModuleLaunchKernel(function, g.x, g.y, g.z, t.x, t.y, t.z, ldsOf(launch), stream,
                                pointersOf(launch, now).data(), nullptr));
    else
      HIP(hipModuleLaunchKernel(function, g.x, g.y, g.z, t.x, t.y, t.z, ldsOf(launch), stream,
                                nullptr, extra));
    spoil(now);
  }
  void loadModule() {
    if (module_) {
      for (hipStream_t stream : streams_)
        HIP(hipStreamSynchronize(stream));
      HIP(hipModuleUnload(module_));
    }
    HIP(hipModuleLoad(&module_, modulePath_.c_str()));
    functions_.resize(kernels_.size());
    for (unsigned k = 0; k < kernels_.size(); ++k)
      HIP(hipModuleGetFunction(&functions_[k], module_, kernels_[k].name));
  }

  const std::vector<Kernel> &kernels_;
  std::string modulePath_;
  Device<unsigned char> memory_;
  unsigned used_ = 0;
  std::array<hipStream_t, 3> streams_{};
  hipEvent_t start_{}, stop_{}, between_{};
  hipModule_t module_ = nullptr;
  std::vector<hipFunction_t> functions_;
  std::map<unsigned, Graph> graphs_;
};

static void describeLaunch(const Kernel &kernel, const Launch &launch, unsigned number) {
  const auto &[g, t] = launch.shape;
  std::printf("launch %u: %s, %ux%ux%u groups of %ux%ux%u, %u missing, arguments", number,
              kernel.name, g.x, g.y, g.z, t.x, t.y, t.z, launch.missing);
  for (const Field &field : kernel.fields) {
    uint64_t bits = 0;
    std::memcpy(&bits, launch.block.data() + field.offset, sizeOf(field.kind));
    std::printf(" %u:%llx", field.offset, static_cast<unsigned long long>(bits));
  }
  std::puts("");
}

struct Options {
  std::string way, module;
  unsigned launches, kernels, wrong;
  uint64_t seed;
};

static std::vector<uint64_t> runLine(const std::vector<Kernel> &kernels, const Options &o) {
  Line line(kernels, o.kernels, o.seed, o.way == "mixed" ? o.module : std::string());
  for (unsigned done = 0; done < o.launches;) {
    std::vector<Launch> launches = {line.sequence.next()};
    while (o.way == "graph" && launches.size() < 4)
      launches.push_back(line.sequence.next(/*same=*/true));
    if (o.wrong - done < launches.size())
      describeLaunch(kernels[launches[0].kernel], launches[o.wrong - done], o.wrong);
    if (o.way == "graph")
      line.graph(launches);
    else if (o.way == "mixed")
      line.mixed(launches[0]);
    else
      line.one(launches[0]);
    done += static_cast<unsigned>(launches.size());
    if (line.isFull() || done >= o.launches)
      line.finish();
  }
  return line.digests;
}

int main(int argc, char **argv) {
  if (argc < 6)
    return 2;
  const auto number = [&](int i) {
    return static_cast<unsigned>(std::strtoul(argv[i], nullptr, 0));
  };
  Options o{argv[1],   std::string(argv[0]) + ".hsaco", number(2),
            number(4), argc > 6 ? number(6) : ~0u,      number(3)};
  const std::vector<Kernel> kernels = allKernels();
  std::vector<std::vector<uint64_t>> digests(o.way == "threads" ? 3 : 1);
  std::vector<std::thread> others;
  const auto runPart = [&](size_t which) {
    Options own = o;
    own.launches /= static_cast<unsigned>(digests.size());
    own.seed += which * 1000 * kernels.size(); // the same kernels, other arguments
    digests[which] = runLine(kernels, own);
  };
  for (size_t i = 1; i < digests.size(); ++i)
    others.emplace_back(runPart, i);
  runPart(0);
  for (std::thread &other : others)
    other.join();
  std::ofstream out(argv[5], std::ios::binary);
  for (const auto &part : digests)
    out.write(reinterpret_cast<const char *>(part.data()),
              static_cast<std::streamsize>(8 * part.size()));
  std::puts(out.flush() ? "PASS" : "FAIL");
  return out ? 0 : 1;
}
