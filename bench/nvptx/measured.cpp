#include "bench/nvptx/measured.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

namespace meld::nvptx {

namespace {

constexpr unsigned warmUps = 3;
constexpr unsigned mostMeasured = 256; ///< launches of one kernel; the others are only run
constexpr size_t paddingBytes = size_t{256} << 20; ///< 3.4 TB/s copy them in 150 us
constexpr unsigned mostTries = 5;                  ///< at a time in which nothing of the host is
constexpr int notReady = 600;                      ///< CUDA_ERROR_NOT_READY

} // namespace

Turn::Turn() {
  const char *path = std::getenv("NVPTX_LOCK");
  if (!path || !*path)
    return;
  file_ = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file_ < 0 || flock(file_, LOCK_EX) != 0) {
    std::fprintf(stderr, "NVPTX_LOCK: %s: %s\n", path, std::strerror(errno));
    std::_Exit(1);
  }
}

Turn::~Turn() {
  if (file_ >= 0)
    close(file_);
}

Address Memory::allocate(size_t bytes) {
  Address address = 0;
  driver_.need("cuMemAlloc_v2", &address, std::max<size_t>(bytes, 1));
  blocks_[address] = {std::max<size_t>(bytes, 1), 0};
  return address;
}

void Memory::free(Address address) {
  if (blocks_.erase(address))
    driver_.need("cuMemFree_v2", address);
}

bool Memory::contains(uint64_t address) const {
  auto after = blocks_.upper_bound(address);
  return after != blocks_.begin() &&
         address - std::prev(after)->first < std::prev(after)->second.bytes;
}

void Memory::save() {
  for (auto &[address, block] : blocks_) {
    driver_.need("cuMemAlloc_v2", &block.copy, block.bytes);
    driver_.need("cuMemcpyDtoD_v2", block.copy, address, block.bytes);
  }
}

void Memory::restore() {
  if (!padding_)
    driver_.need("cuMemAlloc_v2", &padding_, 2 * paddingBytes);
  driver_.need("cuMemcpyDtoDAsync_v2", padding_, padding_ + paddingBytes, paddingBytes,
               Handle(nullptr));
  for (const auto &[address, block] : blocks_)
    driver_.need("cuMemcpyDtoDAsync_v2", address, block.copy, block.bytes, Handle(nullptr));
}

std::vector<std::vector<unsigned char>> Memory::contents() const {
  std::vector<std::vector<unsigned char>> all;
  for (const auto &[address, block] : blocks_) {
    all.emplace_back(block.bytes);
    driver_.need("cuMemcpyDtoH_v2", static_cast<void *>(all.back().data()), address, block.bytes);
  }
  return all;
}

void Memory::dropSaved() {
  for (auto &[address, block] : blocks_)
    driver_.need("cuMemFree_v2", std::exchange(block.copy, 0));
}

Measured::Measured(const Driver &driver, Forms forms, unsigned rounds)
    : driver_(driver), forms_(std::move(forms)), rounds_(rounds), memory_(driver),
      modules_(forms_.all.size()) {
  driver_.need("cuEventCreate", &begin_, 0u);
  driver_.need("cuEventCreate", &end_, 0u);
}

const Measured::Function &Measured::functionOf(size_t form, const std::string &entry) {
  auto [found, isNew] = functions_.try_emplace({form, entry});
  Function &function = found->second;
  if (!isNew)
    return function;
  const std::string &ptx = forms_.all[form].ptx;
  if (!modules_[form])
    driver_.need("cuModuleLoadData", &modules_[form], ptx.c_str());
  driver_.need("cuModuleGetFunction", &function.handle, modules_[form], entry.c_str());
  function.dynamicShared = dynamicSharedOf(ptx, entry);
  if (function.dynamicShared) {
    constexpr int maxDynamicSharedBytes = 8; // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    driver_.need("cuFuncSetAttribute", function.handle, maxDynamicSharedBytes,
                 static_cast<int>(function.dynamicShared));
  }
  return function;
}

int Measured::start(const Function &function, const Launch &launch) const {
  return driver_.call("cuLaunchKernel", function.handle, launch.grid.x, launch.grid.y,
                      launch.grid.z, launch.block.x, launch.block.y, launch.block.z,
                      static_cast<unsigned>(launch.shared) + function.dynamicShared,
                      Handle(nullptr), launch.arguments, static_cast<void **>(nullptr));
}

double Measured::timed(size_t form, Kernel &kernel, const Launch &launch) {
  const Function &function = functionOf(form, launch.entry);
  float milliseconds = 0;
  for (unsigned attempt = 1;; ++attempt) {
    memory_.restore();
    driver_.need("cuEventRecord", begin_, Handle(nullptr));
    const int status = start(function, launch);
    driver_.need("cuEventRecord", end_, Handle(nullptr));
    const bool queued = driver_.call("cuEventQuery", begin_) == notReady;
    if (status || driver_.call("cuEventSynchronize", end_) != 0) {
      std::fprintf(stderr, "%s, %s: error %d at its launch, or while it ran\n",
                   launch.entry.c_str(), forms_.all[form].name.c_str(), status);
      std::_Exit(1);
    }
    driver_.need("cuEventElapsedTime", &milliseconds, begin_, end_);
    if (queued || attempt == mostTries) {
      kernel.loose += !queued;
      return double{milliseconds};
    }
  }
}

void Measured::measure(Kernel &kernel, const Launch &launch) {
  // Who takes part: the plain form twice, and what differs from it and may run for this launch.
  const Facts facts = factsOf(launch, forms_.parameters[launch.entry],
                              [&](uint64_t value) { return memory_.contains(value); });
  std::vector<std::pair<std::string, size_t>> runs = {{"plain", 0}, {"again", 0}};
  for (size_t i = 1; i < forms_.all.size(); ++i) {
    const Form &form = forms_.all[i];
    if (!form.changes(launch.entry))
      continue;
    kernel.forms.try_emplace(form.name); // also of one that is never run something is said
    if (std::includes(facts.begin(), facts.end(), form.facts.begin(), form.facts.end()))
      runs.emplace_back(form.name, i);
  }
  for (const auto &[name, form] : runs) {
    kernel.forms.try_emplace(name);
    functionOf(form, launch.entry); // the driver compiles PTX when it is first asked for
  }
  const Turn turn;
  memory_.save();
  std::vector<std::vector<unsigned char>> right;
  std::map<std::string, std::vector<double>> times;
  const unsigned last = warmUps + rounds_ - 1;
  for (unsigned round = 0; round <= last; ++round)
    for (size_t k = 0; k < runs.size(); ++k) {
      const auto &[name, form] = runs[round ? (k + round) % runs.size() : k];
      const double time = timed(form, kernel, launch);
      if (round >= warmUps)
        times[name].push_back(time);
      if (round && round != last)
        continue;
      if (right.empty())
        right = memory_.contents();
      else
        kernel.forms[name].same &= memory_.contents() == right;
    }
  memory_.restore();
  memory_.dropSaved();
  for (auto &[name, form] : kernel.forms) {
    const auto own = times.find(name);
    form.launches += own != times.end();
    form.times.resize(rounds_);
    for (unsigned round = 0; round < rounds_; ++round)
      form.times[round] += (own == times.end() ? times["plain"] : own->second)[round];
  }
  ++kernel.measured;
}

int Measured::launch(const Launch &launch) {
  const std::string key = launch.entry + " " + std::to_string(launch.block.x) + "x" +
                          std::to_string(launch.block.y) + "x" + std::to_string(launch.block.z);
  auto [found, isNew] = kernels_.try_emplace(key);
  Kernel &kernel = found->second;
  if (isNew)
    kernel.first = launch;
  ++kernel.launches;
  if (kernel.measured < mostMeasured)
    measure(kernel, launch);
  const Function &plain = functionOf(0, launch.entry);
  const Turn turn;
  const int status = start(plain, launch);
  return status ? status : driver_.call("cuCtxSynchronize");
}

nlohmann::json Measured::report() const {
  nlohmann::json kernels = nlohmann::json::array();
  for (const auto &[key, kernel] : kernels_) {
    nlohmann::json forms;
    for (const auto &[name, form] : kernel.forms)
      forms[name] = {{"same", form.same},
                     {"launches", form.launches},
                     {"times", form.launches ? form.times : std::vector<double>()}};
    const auto [bx, by, bz] = kernel.first.block;
    const auto [gx, gy, gz] = kernel.first.grid;
    kernels.push_back({{"entry", kernel.first.entry},
                       {"block", {bx, by, bz}},
                       {"grid", {gx, gy, gz}},
                       {"launches", kernel.launches},
                       {"measured", kernel.measured},
                       {"loose", kernel.loose},
                       {"forms", forms}});
  }
  return {{"device", driver_.deviceName()},
          {"cuda", driver_.version()},
          {"rounds", rounds_},
          {"kernels", kernels}};
}

} // namespace meld::nvptx
