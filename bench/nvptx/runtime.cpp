// HIP's functions, as far as the programs of bench/kernels call them, on the CUDA driver: build.py links
// this to their host half, which clang compiles as CUDA. Two ways to run such a program:
//
//   NVPTX_RECORD=FILE                   no GPU: device memory is the host's, nothing runs, and what
//                                       the launches of each kernel have in common goes into FILE
//   NVPTX_FORMS=PROGRAM.json NVPTX_RESULT=FILE
//                                       on an NVIDIA GPU: every launch in every form (measured.h)
//
// NVPTX_ROUNDS: how often each form is timed, otherwise 20. NVPTX_LOCK: a file by which processes take turns
// on the device. Exit status 77: there is no NVIDIA GPU here.
#include "bench/nvptx/measured.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

namespace meld::nvptx {
namespace {

/// A run that only records is let go on until then.
constexpr std::chrono::seconds enough{2};

const char *variable(const char *name) {
  const char *value = std::getenv(name);
  return value && *value ? value : nullptr;
}

[[noreturn]] void stop(const std::string &why, int status) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::fflush(nullptr);
  std::_Exit(status);
}

class Runtime {
public:
  static Runtime &get() {
    static Runtime runtime;
    return runtime;
  }
  ~Runtime() {
    if (measured_ && result_) {
      std::ofstream out(result_);
      out << measured_->report().dump() << "\n";
      out.close();
      if (!out)
        stop(std::string(result_) + ": cannot be written", 1);
    }
  }

  void add(const void *stub, const char *entry) { names_[stub] = entry; }

  void *allocate(size_t bytes) {
    if (measured_)
      return reinterpret_cast<void *>(measured_->memory().allocate(bytes));
    void *memory = std::malloc(std::max<size_t>(bytes, 1));
    if (memory)
      host_[reinterpret_cast<uint64_t>(memory)] = std::max<size_t>(bytes, 1);
    return memory;
  }
  void free(void *memory) {
    if (measured_)
      measured_->memory().free(reinterpret_cast<Address>(memory));
    else if (host_.erase(reinterpret_cast<uint64_t>(memory)))
      std::free(memory);
  }
  void copy(void *to, const void *from, size_t bytes, int kind) {
    constexpr int toDevice = 1, toHost = 2;
    if (!measured_) {
      if (kind == toHost && !common_.empty() && std::chrono::steady_clock::now() - begin_ > enough)
        std::_Exit(0); // what is launched from now on hangs on results that are none
      std::memmove(to, from, bytes);
      return;
    }
    const Turn turn; // a copy takes memory bandwidth from what others time
    if (kind == toDevice)
      driver_->need("cuMemcpyHtoD_v2", reinterpret_cast<Address>(to), from, bytes);
    else if (kind == toHost)
      driver_->need("cuMemcpyDtoH_v2", to, reinterpret_cast<Address>(from), bytes);
    else
      driver_->need("cuMemcpyDtoD_v2", reinterpret_cast<Address>(to),
                    reinterpret_cast<Address>(from), bytes);
  }
  int synchronize() const { return measured_ ? driver_->call("cuCtxSynchronize") : 0; }

  int launch(const void *stub, Dim3 grid, Dim3 block, void **arguments, size_t shared) {
    const auto name = names_.find(stub);
    if (name == names_.end())
      return 98; // hipErrorInvalidDeviceFunction
    const Launch launch{name->second, grid, block, arguments, shared};
    if (measured_)
      return measured_->launch(launch);
    record(launch);
    return 0;
  }

private:
  Runtime() : record_(variable("NVPTX_RECORD")), result_(variable("NVPTX_RESULT")) {
    const char *forms = variable("NVPTX_FORMS");
    if (!forms)
      stop("NVPTX_FORMS=PROGRAM.json says what build.py wrote of this program", 2);
    Forms read;
    try {
      read = Forms::read(forms);
    } catch (const std::exception &e) {
      stop(e.what(), 2);
    }
    if (record_) {
      parameters_ = read.parameters;
      return;
    }
    driver_ = Driver::get();
    if (!driver_)
      stop("no NVIDIA GPU here", 77);
    const char *rounds = variable("NVPTX_ROUNDS");
    const unsigned long count = rounds ? std::strtoul(rounds, nullptr, 10) : 20;
    if (!count || count > 10000)
      stop("NVPTX_ROUNDS is a number from 1 to 10000", 2);
    measured_.emplace(*driver_, std::move(read), static_cast<unsigned>(count));
  }

  // Written anew at each launch: a program whose device does nothing may go on for ever.
  void record(const Launch &launch) {
    Facts facts = factsOf(launch, parameters_[launch.entry], [&](uint64_t value) {
      const auto after = host_.upper_bound(value);
      return after != host_.begin() && value - std::prev(after)->first < std::prev(after)->second;
    });
    auto [found, isNew] = common_.try_emplace(launch.entry, facts);
    if (!isNew)
      std::erase_if(found->second, [&](const Fact &fact) {
        return !std::binary_search(facts.begin(), facts.end(), fact);
      });
    nlohmann::json all = nlohmann::json::object();
    for (const auto &[entry, common] : common_)
      all[entry] = toText(common);
    std::ofstream(record_) << all.dump(1) << "\n";
  }

  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::map<const void *, std::string> names_;
  const char *record_, *result_;
  const Driver *driver_ = nullptr;
  std::optional<Measured> measured_;
  std::map<uint64_t, size_t> host_; ///< device memory where there is no device
  std::map<std::string, std::vector<Parameter>> parameters_;
  std::map<std::string, Facts> common_;
};

/// Between <<<>>> and the stub that it calls.
struct Configuration {
  Dim3 grid, block;
  size_t shared;
  void *stream;
} pushed;

} // namespace
} // namespace meld::nvptx

using meld::nvptx::Dim3;
using meld::nvptx::pushed;
using meld::nvptx::Runtime;

// What clang's host code calls, and HIP's functions; their errors are those of the driver.
extern "C" {
void **__cudaRegisterFatBinary(void *) {
  static void *handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
int __cudaRegisterFunction(void **, const void *stub, char *, const char *name, int, void *, void *,
                           void *, void *, int *) {
  Runtime::get().add(stub, name);
  return 0;
}
void __cudaRegisterVar(void **, void *, char *, const char *name, int, size_t, int, int) {
  meld::nvptx::stop(std::string(name) + ": a variable of the device, which nothing here compares",
                    2);
}
unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, size_t shared, void *stream) {
  pushed = {grid, block, shared, stream};
  return 0;
}
unsigned __cudaPopCallConfiguration(Dim3 *grid, Dim3 *block, size_t *shared, void *stream) {
  *grid = pushed.grid;
  *block = pushed.block;
  *shared = pushed.shared;
  std::memcpy(stream, &pushed.stream, sizeof pushed.stream);
  return 0;
}
static int last = 0;
int cudaLaunchKernel(const void *stub, Dim3 grid, Dim3 block, void **arguments, size_t shared,
                     void *) {
  return last = Runtime::get().launch(stub, grid, block, arguments, shared);
}
int hipMalloc(void **memory, size_t bytes) {
  *memory = Runtime::get().allocate(bytes);
  return *memory ? 0 : 2;
}
int hipFree(void *memory) {
  Runtime::get().free(memory);
  return 0;
}
int hipMemcpy(void *to, const void *from, size_t bytes, int kind) {
  Runtime::get().copy(to, from, bytes, kind);
  return 0;
}
int hipGetLastError() { return std::exchange(last, 0); }
int hipDeviceSynchronize() { return Runtime::get().synchronize(); }
const char *hipGetErrorString(int status) {
  static char text[64];
  std::snprintf(text, sizeof text, "error %d of the CUDA driver", status);
  return text;
}
}
