#include "bench/nvptx/measured.h"

#include <algorithm>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

namespace meld::nvptx {

namespace {

constexpr unsigned warmUps = 3;
constexpr unsigned mostMeasured = 64; ///< launches of one kernel; the others are only run

} // namespace

Turn::Turn() {
  if (const char *path = std::getenv("NVPTX_LOCK"))
    file_ = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file_ >= 0)
    flock(file_, LOCK_EX);
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

void Memory::restore() const {
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

Handle Measured::functionOf(size_t form, const std::string &entry) {
  const std::string &ptx = forms_.all[form].ptx;
  if (!modules_[form])
    driver_.need("cuModuleLoadData", &modules_[form], ptx.c_str());
  Handle function = nullptr;
  driver_.need("cuModuleGetFunction", &function, modules_[form], entry.c_str());
  if (const unsigned dynamic = dynamicSharedOf(ptx, entry)) {
    constexpr int maxDynamicSharedBytes = 8; // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    driver_.need("cuFuncSetAttribute", function, maxDynamicSharedBytes, static_cast<int>(dynamic));
  }
  return function;
}

int Measured::start(size_t form, const Launch &launch) {
  const unsigned dynamic = dynamicSharedOf(forms_.all[form].ptx, launch.entry);
  return driver_.call("cuLaunchKernel", functionOf(form, launch.entry), launch.grid.x,
                      launch.grid.y, launch.grid.z, launch.block.x, launch.block.y, launch.block.z,
                      static_cast<unsigned>(launch.shared) + dynamic, Handle(nullptr),
                      launch.arguments, static_cast<void **>(nullptr));
}

double Measured::timed(size_t form, const Launch &launch) {
  float milliseconds = 0;
  memory_.restore();
  driver_.need("cuEventRecord", begin_, Handle(nullptr));
  if (const int status = start(form, launch)) {
    std::fprintf(stderr, "%s, %s: error %d at its launch\n", launch.entry.c_str(),
                 forms_.all[form].name.c_str(), status);
    std::_Exit(1);
  }
  driver_.need("cuEventRecord", end_, Handle(nullptr));
  driver_.need("cuEventSynchronize", end_);
  driver_.need("cuEventElapsedTime", &milliseconds, begin_, end_);
  return double{milliseconds};
}

void Measured::measure(Kernel &kernel, const Launch &launch) {
  // Who takes part: the plain form twice, and what differs from it and may run for this launch.
  const Facts facts = factsOf(launch, forms_.parameters[launch.entry],
                              [&](uint64_t value) { return memory_.contains(value); });
  std::vector<std::pair<std::string, size_t>> runs = {{"plain", 0}, {"again", 0}};
  for (size_t i = 1; i < forms_.all.size(); ++i) {
    const Form &form = forms_.all[i];
    const Facts wanted = parseFacts(form.facts).value_or(Facts());
    if (form.changes(launch.entry) &&
        std::includes(facts.begin(), facts.end(), wanted.begin(), wanted.end()))
      runs.emplace_back(form.name, i);
  }
  for (const auto &[name, form] : runs)
    functionOf(
        form,
        launch.entry); // the driver compiles PTX when it is first asked for, all cores at once
  const Turn turn;
  memory_.save();
  std::vector<std::vector<unsigned char>> right;
  std::map<std::string, std::vector<double>> times;
  for (unsigned round = 0; round < warmUps + rounds_; ++round)
    for (size_t k = 0; k < runs.size(); ++k) {
      const auto &[name, form] = runs[round ? (k + round) % runs.size() : k];
      const double time = timed(form, launch);
      if (round >= warmUps)
        times[name].push_back(time);
      if (round)
        continue;
      if (right.empty())
        right = memory_.contents();
      else
        kernel.forms[name].same &= memory_.contents() == right;
    }
  memory_.restore();
  memory_.dropSaved();
  for (auto &[name, form] : kernel.forms)
    form.launches += times.count(name) != 0;
  for (const char *name : {"plain", "again", "melded", "flattened", "forced", "specialised"}) {
    std::vector<double> &sums = kernel.forms[name].times;
    sums.resize(rounds_);
    const auto own = times.find(name);
    for (unsigned round = 0; round < rounds_; ++round)
      sums[round] += (own == times.end() ? times["plain"] : own->second)[round];
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
  return start(0, launch);
}

nlohmann::json Measured::report() const {
  nlohmann::json kernels = nlohmann::json::array();
  for (const auto &[key, kernel] : kernels_) {
    nlohmann::json forms;
    for (const auto &[name, form] : kernel.forms)
      if (name == "plain" || form.launches)
        forms[name] = {{"same", form.same}, {"launches", form.launches}, {"times", form.times}};
    const auto [bx, by, bz] = kernel.first.block;
    const auto [gx, gy, gz] = kernel.first.grid;
    kernels.push_back({{"entry", kernel.first.entry},
                       {"block", {bx, by, bz}},
                       {"grid", {gx, gy, gz}},
                       {"launches", kernel.launches},
                       {"measured", kernel.measured},
                       {"forms", forms}});
  }
  return {{"device", driver_.deviceName()},
          {"cuda", driver_.version()},
          {"rounds", rounds_},
          {"kernels", kernels}};
}

} // namespace meld::nvptx
