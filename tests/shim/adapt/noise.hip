// Trials of planted versions (noise_kernels.hip), on device times that may be noisy, again and again.
// Each run loads the module, so that all trials begin anew, and has a stream of its own.
//   noise MODULE times                            of each kernel alone, in nanoseconds
//   noise MODULE trials RUNS LAUNCHES KERNEL...   what is decided
//   noise MODULE phases RUNS LAUNCHES KERNEL BEFORE AFTER
//                                 in the middle of the launches BEFORE set elements become AFTER
// One line for each kernel and run; the number of the run is the first thing in it.
#include "tests/e2e/programs/check.h"
#include "tests/shim/adapt/probe.h"

#include <dlfcn.h>
#include <string>

static AdaptProbeLook look; // null: without the tool that plants versions

constexpr unsigned kVersions = 4;

/// Data of noise_kernels.hip: the first elements are set.
static std::vector<unsigned long long> elements(unsigned set) {
  return {set >= 64 ? ~0ull : (1ull << set) - 1, 0};
}

/// A module that was loaded for this run, and what its kernels work on.
class Run {
public:
  explicit Run(const char *path) : count_(kVersions) {
    HIP(hipModuleLoad(&module_, path));
    HIP(hipStreamCreateWithFlags(&stream_, hipStreamNonBlocking));
    setElements(0);
    forget();
  }
  ~Run() {
    HIP(hipStreamDestroy(stream_));
    HIP(hipModuleUnload(module_));
  }
  Run(const Run &) = delete;
  Run &operator=(const Run &) = delete;

  hipFunction_t kernel(const std::string &name) const {
    hipFunction_t function;
    HIP(hipModuleGetFunction(&function, module_, name.c_str()));
    return function;
  }
  void launch(hipFunction_t kernel) {
    void *arguments[] = {&elements_, &counts_};
    HIP(hipModuleLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, stream_, arguments, nullptr));
  }
  /// Behind the launches until now, and before those that follow.
  void setElements(unsigned set) {
    HIP(hipStreamSynchronize(stream_));
    HIP(hipMemcpy(elements_, elements(set).data(), 16, hipMemcpyHostToDevice));
  }
  /// How many launches there were of each version since the last call.
  std::vector<unsigned> forget() {
    HIP(hipStreamSynchronize(stream_));
    const std::vector<unsigned> launches = count_.host();
    HIP(hipMemset(counts_, 0, kVersions * sizeof(unsigned)));
    HIP(hipStreamSynchronize(nullptr));
    return launches;
  }
  hipStream_t stream() const { return stream_; }

private:
  hipModule_t module_;
  hipStream_t stream_;
  Device<unsigned long long> data_{2};
  Device<unsigned> count_;
  unsigned long long *elements_ = data_;
  unsigned *counts_ = count_;
};

/// Nanoseconds between two events around `launches` launches.
template <class Launch> double between(hipStream_t stream, Launch launches) {
  hipEvent_t begin, end;
  HIP(hipEventCreate(&begin));
  HIP(hipEventCreate(&end));
  HIP(hipEventRecord(begin, stream));
  launches();
  HIP(hipEventRecord(end, stream));
  HIP(hipEventSynchronize(end));
  float ms = 0;
  HIP(hipEventElapsedTime(&ms, begin, end));
  HIP(hipEventDestroy(begin));
  HIP(hipEventDestroy(end));
  return ms * 1e6;
}

/// Without the tool: every kernel is what its name says.
static void times(const char *module) {
  Run run(module);
  constexpr unsigned launches = 10;
  const auto tell = [&](const std::string &kernel, unsigned set) {
    run.setElements(set);
    const hipFunction_t function = run.kernel(kernel);
    const double all = between(run.stream(), [&] {
      for (unsigned i = 0; i < launches; ++i)
        run.launch(function);
    });
    std::printf("%s %u %.1f\n", kernel.c_str(), set, all / launches);
  };
  for (const char *kernel :
       {"equal", "equal_variant", "slower", "slower_variant", "faster", "faster_variant", "several",
        "several_variant1", "several_variant2", "several_variant3"})
    tell(kernel, 0);
  for (unsigned set = 0; set <= 64; ++set)
    for (const char *kernel : {"steady", "steady_variant", "sparse", "sparse_variant"})
      tell(kernel, set);
}

static void trials(const char *module, unsigned runs, unsigned launches,
                   const std::vector<std::string> &kernels) {
  for (unsigned r = 0; r < runs; ++r) {
    Run run(module);
    for (const std::string &kernel : kernels) {
      const hipFunction_t function = run.kernel(kernel);
      AdaptProbeTrial first{}, trial{};
      unsigned promoted[kVersions] = {};
      for (unsigned i = 0; i < launches; ++i) {
        const unsigned before = trial.incumbent;
        run.launch(function);
        EXPECT(look && look(kernel.c_str(), &trial));
        if (i == 0)
          first = trial; // without versions it was decided already, before they were added
        if (trial.incumbent != before)
          ++promoted[trial.incumbent];
      }
      const std::vector<unsigned> ran = run.forget();
      EXPECT(ran[0] + ran[1] + ran[2] + ran[3] == launches);
      std::printf("%u %s %u %u %u %u %u %u\n", r, kernel.c_str(), trial.decisions - first.decisions,
                  trial.changes, trial.incumbent, promoted[1], promoted[2], promoted[3]);
    }
  }
}

static void phases(const char *module, unsigned runs, unsigned launches, const std::string &kernel,
                   unsigned before, unsigned after) {
  for (unsigned r = 0; r < runs; ++r) {
    Run run(module);
    const hipFunction_t function = run.kernel(kernel);
    AdaptProbeTrial first{}, last{};
    std::vector<unsigned> ran;
    double elapsed = 0;
    for (AdaptProbeTrial *trial : {&first, &last}) {
      run.setElements(trial == &first ? before : after);
      elapsed += between(run.stream(), [&] {
        for (unsigned i = 0; i < launches / 2; ++i)
          run.launch(function);
      });
      EXPECT(look && look(kernel.c_str(), trial));
      const std::vector<unsigned> half = run.forget();
      ran.insert(ran.end(), half.begin(), half.begin() + 2);
    }
    std::printf("%u %s %u %u %u %u %u %u %u %.0f\n", r, kernel.c_str(), ran[0], ran[1], ran[2],
                ran[3], first.incumbent, last.incumbent, last.changes, elapsed);
  }
}

int main(int argc, char **argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (const char *tool = std::getenv("HSA_TOOLS_LIB")) {
    HIP(hipInit(0));
    if (void *library = dlopen(tool, RTLD_NOW | RTLD_NOLOAD))
      look = reinterpret_cast<AdaptProbeLook>(dlsym(library, "adaptProbeLook"));
    EXPECT(look != nullptr);
  }
  const auto number = [&](unsigned place) {
    return static_cast<unsigned>(std::stoul(words[place]));
  };
  if (words.size() == 2 && words[1] == "times")
    times(argv[1]);
  else if (words.size() > 4 && words[1] == "trials")
    trials(argv[1], number(2), number(3), {words.begin() + 4, words.end()});
  else if (words.size() == 7 && words[1] == "phases")
    phases(argv[1], number(2), number(3), words[4], number(5), number(6));
  else
    EXPECT(!"a part of this program");
  return verdict();
}
