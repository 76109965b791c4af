// nvptx-fuzz: runs what meld-fuzz-ptx has written on an NVIDIA GPU. Each form of each kernel has to
// leave what the kernel's AMD code has left on the software GPU.
//
//   nvptx-fuzz FOLDER/seeds-1.json ...        exit status 0, 1 with findings, 77 where there is no GPU
#include "bench/nvptx/driver.h"
#include "tests/fuzz/kernel_inputs.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

using namespace meld::fuzz;
using meld::nvptx::Address;
using meld::nvptx::Driver;
using meld::nvptx::Handle;

namespace {

class Device {
public:
  explicit Device(const Driver &driver) : driver_(driver) {
    driver_.need("cuMemAlloc_v2", &in_, size_t{4} * KernelAst::inputWords);
    driver_.need("cuMemAlloc_v2", &out_, most);
    driver_.need("cuMemAlloc_v2", &acc_, size_t{4} * accWords);
  }

  /// An error of the driver's, or 0.
  int run(const KernelAst &ast, const std::string &ptx, uint64_t &hash) const {
    Handle module = nullptr, function = nullptr;
    if (const int status = driver_.call("cuModuleLoadData", &module, ptx.c_str()))
      return status;
    driver_.need("cuModuleGetFunction", &function, module, "fuzz");
    KernelInputs inputs = inputsOf(ast.seed);
    std::vector<uint8_t> out(size_t{4} * wordsPerThread * ast.threads(), 0xa5);
    if (out.size() > most)
      return -1;
    driver_.need("cuMemcpyHtoD_v2", in_, static_cast<const void *>(inputs.in.data()),
                 4 * inputs.in.size());
    driver_.need("cuMemcpyHtoD_v2", acc_, static_cast<const void *>(inputs.acc.data()),
                 4 * inputs.acc.size());
    driver_.need("cuMemcpyHtoD_v2", out_, static_cast<const void *>(out.data()), out.size());
    Address in = in_, to = out_, acc = acc_;
    uint32_t n = argumentN;
    void *arguments[] = {&in, &to, &acc, &n};
    int status = driver_.call("cuLaunchKernel", function, ast.blocks, 1u, 1u, ast.blockSize, 1u, 1u,
                              0u, Handle(nullptr), static_cast<void **>(arguments),
                              static_cast<void **>(nullptr));
    if (!status)
      status = driver_.call("cuCtxSynchronize");
    if (status)
      return status;
    driver_.need("cuMemcpyDtoH_v2", static_cast<void *>(out.data()), out_, out.size());
    driver_.need("cuMemcpyDtoH_v2", static_cast<void *>(inputs.acc.data()), acc_,
                 4 * inputs.acc.size());
    driver_.need("cuModuleUnload", module);
    hash = hashOf(out.data(), out.size(), reinterpret_cast<const uint8_t *>(inputs.acc.data()),
                  4 * inputs.acc.size());
    return 0;
  }

private:
  static constexpr size_t most = size_t{64} << 20;
  const Driver &driver_;
  Address in_ = 0, out_ = 0, acc_ = 0;
};

std::string contentOf(const std::filesystem::path &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FOLDER/seeds-N.json ...\n", argv[0]);
    return 2;
  }
  const Driver *driver = Driver::get();
  if (!driver) {
    std::fprintf(stderr, "no NVIDIA GPU here\n");
    return 77;
  }
  const Device device(*driver);
  unsigned kernels = 0, findings = 0;
  std::map<std::string, unsigned> runs;
  for (int i = 1; i < argc; ++i) {
    const std::filesystem::path list = argv[i];
    const auto json = nlohmann::json::parse(contentOf(list), nullptr, /*exceptions=*/false);
    if (json.is_discarded() || !json.contains("kernels") || !json.contains("generator")) {
      std::fprintf(stderr, "%s: not what meld-fuzz-ptx writes\n", argv[i]);
      return 2;
    }
    const auto generator = json["generator"].get<unsigned>();
    for (const auto &one : json["kernels"]) {
      const auto seed = one["seed"].get<uint64_t>();
      const KernelAst ast = generateKernel(seed, generator);
      ++kernels;
      for (const auto &form : one["forms"]) {
        const auto name = form.get<std::string>();
        uint64_t hash = 0;
        const int status =
            device.run(ast,
                       contentOf(list.parent_path() / ("g" + std::to_string(generator) + "-" +
                                                       std::to_string(seed) + "." + name + ".ptx")),
                       hash);
        ++runs[name];
        if (!status && hash == one["hash"].get<uint64_t>())
          continue;
        ++findings;
        std::printf("seed %llu, %s: %s %d\n", static_cast<unsigned long long>(seed), name.c_str(),
                    status ? "error" : "other results", status);
        std::fflush(stdout);
        if (status > 0 && status != 218) // 218: PTX that is none; others leave the device unusable
          return 1;
      }
    }
  }
  std::printf("%s: %u kernels, %u findings", driver->deviceName(), kernels, findings);
  for (const auto &[name, count] : runs)
    std::printf(", %u %s", count, name.c_str());
  std::printf("\n");
  // Every kernel is run as it is at least.
  return findings || !kernels || runs["plain"] != kernels ? 1 : 0;
}
