// Runs the PTX that build.py wrote on an NVIDIA GPU: each kernel plain and melded, on the same
// inputs, timed with events; the outputs have to agree bit for bit.
//
//   c++ -std=c++17 -O2 bench/nvptx/run.cpp -ldl -o nvptx-run && ./nvptx-run FOLDER > result.json
//
// One file without dependencies, so that it can be carried to the machine that has the GPU,
// together with FOLDER. The CUDA driver is loaded when the program starts; no SDK is needed to
// build it. Exit status: 0, 1 when outputs differ or a launch fails, 77 where there is no GPU.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Handle = struct Opaque *;
using Address = unsigned long long;

/// The few functions of the driver that are needed, by their names in libcuda.so.1.
struct Driver {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);

  template <class... A> int call(const char *name, A... arguments) const {
    auto *function = reinterpret_cast<int (*)(A...)>(dlsym(library, name));
    return function ? function(arguments...) : -1;
  }
  /// The same, where a failure ends the program.
  template <class... A> void need(const char *name, A... arguments) const {
    if (const int status = call(name, arguments...)) {
      std::fprintf(stderr, "%s: error %d\n", name, status);
      std::exit(1);
    }
  }
};

/// What a kernel is launched with. Arguments: b = buffer of random words, B = the same descending,
/// f = buffer of random floats below 1, s = buffer of 0 and 1; iN = 32-bit number, xN = float.
struct Launch {
  const char *program, *kernel; ///< the kernel whose mangled name starts with this
  unsigned grid[2], block[2], shared;
  const char *arguments;
};

constexpr size_t kWords = size_t(1) << 22;

const Launch launches[] = {
    {"bitonic", "_Z11bitonicSortILj64E", {16384, 1}, {64, 1}, 64 * 4, "B"},
    {"bitonic", "_Z11bitonicSortILj128E", {16384, 1}, {128, 1}, 128 * 4, "B"},
    {"bitonic", "_Z11bitonicSortILj256E", {16384, 1}, {256, 1}, 256 * 4, "B"},
    {"divergent_saxpy", "_Z14divergentSaxpy", {16384, 1}, {256, 1}, 0, "s f f x2 x3 i4194304"},
    {"merge_sort", "_Z9mergePass", {512, 1}, {64, 1}, 0, "b b i4194304 i64"},
    {"srad", "_Z4sradILj16E", {128, 128}, {16, 16}, 0, "f f i2048 x0.5"},
    {"srad", "_Z4sradILj32E", {64, 64}, {32, 32}, 0, "f f i2048 x0.5"},
    {"synthetic", "_Z9syntheticILi1ELb0E", {8192, 1}, {64, 1}, 64 * 16, "b b b b i4 i4"},
    {"synthetic", "_Z9syntheticILi2ELb0E", {8192, 1}, {64, 1}, 64 * 16, "b b b b i4 i4"},
    {"synthetic", "_Z9syntheticILi3ELb0E", {8192, 1}, {64, 1}, 64 * 16, "b b b b i4 i4"},
    {"synthetic", "_Z9syntheticILi4ELb0E", {8192, 1}, {64, 1}, 64 * 16, "b b b b i4 i4"},
    {"synthetic", "_Z9syntheticILi1ELb1E", {8192, 1}, {64, 1}, 64 * 16, "b b b b i4 i4"},
    {"synthetic", "_Z9syntheticILi4ELb1E", {8192, 1}, {64, 1}, 64 * 16, "b b b b i4 i4"},
};

std::string read(const std::string &path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The name of the entry that starts so, from the PTX.
std::string entryOf(const std::string &ptx, const std::string &prefix) {
  const size_t at = ptx.find(".entry " + prefix);
  if (at == std::string::npos)
    return "";
  const size_t begin = at + 7;
  return ptx.substr(begin, ptx.find_first_of("( \n", begin) - begin);
}

std::vector<uint32_t> contents(char kind) {
  std::vector<uint32_t> words(kWords);
  uint64_t state = 1;
  for (size_t i = 0; i < kWords; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const auto random = static_cast<uint32_t>(state >> 40);
    const float unit = static_cast<float>(random) * 0x1p-24f;
    words[i] = kind == 's' ? random & 1 : kind == 'B' ? static_cast<uint32_t>(kWords - i) : random;
    if (kind == 'f')
      std::memcpy(&words[i], &unit, 4);
  }
  return words;
}

struct Outcome {
  bool ran = false;
  float milliseconds = 0; ///< the median of the repetitions
  std::vector<std::vector<uint32_t>> buffers;
};

Outcome run(const Driver &driver, const std::string &ptx, const Launch &launch) {
  Outcome outcome;
  Handle module = nullptr, function = nullptr, begin = nullptr, end = nullptr;
  const std::string name = entryOf(ptx, launch.kernel);
  if (name.empty() || driver.call("cuModuleLoadData", &module, ptx.c_str()) != 0 ||
      driver.call("cuModuleGetFunction", &function, module, name.c_str()) != 0)
    return outcome;
  std::istringstream words(launch.arguments);
  std::vector<Address> buffers;
  std::vector<std::vector<uint32_t>> inputs;
  std::vector<uint64_t> values;
  for (std::string word; words >> word;) {
    uint64_t value = 0;
    if (word[0] == 'i') {
      value = std::strtoul(word.c_str() + 1, nullptr, 10);
    } else if (word[0] == 'x') {
      const float x = std::strtof(word.c_str() + 1, nullptr);
      std::memcpy(&value, &x, 4);
    } else {
      Address address = 0;
      driver.need("cuMemAlloc_v2", &address, kWords * 4);
      buffers.push_back(address);
      inputs.push_back(contents(word[0]));
      value = address;
    }
    values.push_back(value);
  }
  std::vector<void *> arguments;
  for (uint64_t &value : values)
    arguments.push_back(&value);
  driver.need("cuEventCreate", &begin, 0u);
  driver.need("cuEventCreate", &end, 0u);
  std::vector<float> times;
  constexpr int repetitions = 21; // the first warms up
  for (int k = 0; k < repetitions; ++k) {
    for (size_t b = 0; b < buffers.size(); ++b)
      driver.need("cuMemcpyHtoD_v2", buffers[b], static_cast<const void *>(inputs[b].data()),
                  kWords * 4);
    driver.need("cuEventRecord", begin, Handle(nullptr));
    driver.need("cuLaunchKernel", function, launch.grid[0], launch.grid[1], 1u, launch.block[0],
                launch.block[1], 1u, launch.shared, Handle(nullptr), arguments.data(),
                static_cast<void **>(nullptr));
    driver.need("cuEventRecord", end, Handle(nullptr));
    driver.need("cuEventSynchronize", end);
    float milliseconds = 0;
    driver.need("cuEventElapsedTime", &milliseconds, begin, end);
    if (k)
      times.push_back(milliseconds);
  }
  for (const Address address : buffers) {
    outcome.buffers.emplace_back(kWords);
    driver.need("cuMemcpyDtoH_v2", static_cast<void *>(outcome.buffers.back().data()), address,
                kWords * 4);
    driver.need("cuMemFree_v2", address);
  }
  driver.call("cuModuleUnload", module);
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
  outcome.milliseconds = times[times.size() / 2];
  outcome.ran = true;
  return outcome;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER   (what build.py wrote)\n", argv[0]);
    return 2;
  }
  const Driver driver;
  int devices = 0;
  if (!driver.library || driver.call("cuInit", 0u) != 0 ||
      driver.call("cuDeviceGetCount", &devices) != 0 || devices == 0) {
    std::fprintf(stderr, "no NVIDIA GPU here\n");
    return 77;
  }
  int device = 0;
  char name[256] = "";
  Handle context = nullptr;
  driver.need("cuDeviceGet", &device, 0);
  driver.need("cuDeviceGetName", name, 256, device);
  driver.need("cuDevicePrimaryCtxRetain", &context, device);
  driver.need("cuCtxSetCurrent", context);
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));

  bool ok = true;
  std::printf("{\"device\": \"%s\", \"date\": \"%s\", \"kernels\": [", name, date);
  const char *separator = "\n";
  for (const Launch &launch : launches) {
    const std::string stem = std::string(argv[1]) + "/" + launch.program;
    const Outcome plain = run(driver, read(stem + ".plain.ptx"), launch);
    const Outcome melded = run(driver, read(stem + ".melded.ptx"), launch);
    const bool ran = plain.ran && melded.ran;
    const bool same = ran && plain.buffers == melded.buffers;
    ok = ok && same;
    std::printf("%s {\"kernel\": \"%s\", \"block\": %u, \"ran\": %s, \"same\": %s, "
                "\"plainMs\": %.4f, \"meldedMs\": %.4f, \"speedup\": %.3f}",
                separator, launch.kernel, launch.block[0] * launch.block[1], ran ? "true" : "false",
                same ? "true" : "false", double(plain.milliseconds), double(melded.milliseconds),
                melded.milliseconds > 0 ? double(plain.milliseconds / melded.milliseconds) : 0.);
    separator = ",\n";
    std::fflush(stdout);
  }
  std::printf("\n]}\n");
  return ok ? 0 : 1;
}
