#include "shim/verify/side_loads.h"

#include "runtime/log/log.h"
#include "runtime/softgpu/verify_abi.h"
#include "shim/adapt/load_version.h"

#include <algorithm>
#include <dlfcn.h>

namespace meld {
namespace {

/// A function of the software GPU; null where there is none in the process.
template <class F> F softwareGpu(const char *name) {
  return reinterpret_cast<F>(::dlsym(RTLD_DEFAULT, name));
}

/// Where an agent's kernels of an executable are: name without ".kd" -> descriptor.
using Kernels = std::map<std::string, uint64_t>;

Kernels kernelsOf(hsa_executable_t executable, hsa_agent_t agent, const RocrEntries &rocr) {
  Kernels kernels;
  forEachKernel(*rocr.table, executable,
                [&](const std::string &name, hsa_agent_t owner, uint64_t object) {
                  if (owner.handle == agent.handle)
                    kernels[name] = object;
                });
  return kernels;
}

/// What loading added to the file's addresses; nothing when no kernel was loaded.
template <class Address>
std::optional<uint64_t> shift(const ObjectMap &map, const Kernels &loaded, Address address) {
  for (const MappedSymbol &kernel : map.kernels)
    if (const auto it = loaded.find(kernel.name); it != loaded.end())
      return it->second - kernel.*address;
  return std::nullopt;
}

} // namespace

bool SideLoads::open(const std::string &folder) {
  using Open = decltype(&meld_softgpu_verify_open);
  if (auto open = softwareGpu<Open>("meld_softgpu_verify_open")) {
    open(folder.c_str());
    return true;
  }
  return false;
}

void SideLoads::remember(hsa_executable_t executable, hsa_agent_t agent, ByteView original,
                         std::shared_ptr<const Bytes> replacement) {
  Side side;
  side.agent = agent;
  side.bytes = std::move(replacement);
  add(executable, original, std::move(side));
}

void SideLoads::remember(hsa_executable_t executable, hsa_agent_t agent, ByteView original,
                         VersionBeside version) {
  Side side;
  side.agent = agent;
  side.bytes = version.bytes;
  side.version = std::make_shared<const VersionBeside>(std::move(version));
  add(executable, original, std::move(side));
}

void SideLoads::add(hsa_executable_t executable, ByteView original, Side side) {
  if (auto map = mapObjects(original, *side.bytes))
    side.map = std::move(*map);
  else
    side.map.refused = map.error().message;
  std::lock_guard guard(lock_);
  byExecutable_[executable.handle].push_back(std::move(side));
}

void SideLoads::loadReplacement(Side &side, const RocrEntries &rocr) {
  auto refuse = [&](const char *what) {
    if (side.map.refused.empty())
      side.map.refused = what;
  };
  if (rocr.createFromMemory(side.bytes->data(), side.bytes->size(), &side.reader) !=
      HSA_STATUS_SUCCESS) {
    side.reader = {};
    return refuse("ROCr does not read the replacement");
  }
  if (loadAlone(rocr, side.agent, side.reader, side.executable) != HSA_STATUS_SUCCESS)
    refuse(side.executable.handle ? "ROCr does not load the replacement"
                                  : "ROCr makes no executable for the replacement");
}

void SideLoads::load(hsa_executable_t original, Side &side, const RocrEntries &rocr) {
  if (!side.map.refused.empty())
    return;
  if (!side.version)
    return loadReplacement(side, rocr);
  auto loaded = loadVersion(*rocr.table, {original, side.agent, side.version->kernel}, side.bytes,
                            side.version->variables);
  if (!loaded) {
    side.map.refused = loaded.error().message;
    return;
  }
  side.reader = loaded->reader;
  side.executable = loaded->executable;
}

/// Tells the software GPU.
void SideLoads::announce(hsa_executable_t original, Side &side, const RocrEntries &rocr) {
  const auto add = softwareGpu<decltype(&meld_softgpu_verify_add)>("meld_softgpu_verify_add");
  if (!add)
    return;
  const ObjectMap &map = side.map;
  const Kernels loaded = kernelsOf(original, side.agent, rocr);
  const Kernels beside =
      map.refused.empty() ? kernelsOf(side.executable, side.agent, rocr) : Kernels{};
  const auto by = shift(map, loaded, &MappedSymbol::original);
  const auto besideBy = shift(map, beside, &MappedSymbol::replacement);
  MeldVerifyObject object{};
  object.abi = MELD_VERIFY_ABI;
  object.refused = map.refused.empty() ? nullptr : map.refused.c_str();
  std::vector<MeldVerifySymbol> symbols;
  if (by && besideBy) {
    object.originalBase = map.originalStart + *by;
    object.originalSize = map.originalEnd - map.originalStart;
    object.replacementBase = map.replacementStart + *besideBy;
    object.replacementSize = map.replacementEnd - map.replacementStart;
    for (const MappedSymbol &s : map.symbols)
      symbols.push_back(
          {s.name.c_str(), s.original + *by, s.replacement + *besideBy, s.size, s.variable});
  }
  std::vector<MeldVerifyKernel> kernels;
  for (const auto &[name, descriptor] : loaded) {
    if (side.version && name != side.version->kernel)
      continue; // has a version of its own, or none
    const auto other = beside.find(name);
    kernels.push_back({name.c_str(), descriptor, other == beside.end() ? 0 : other->second});
    side.descriptor = descriptor;
  }
  object.kernels = kernels.data();
  object.kernelCount = kernels.size();
  object.symbols = symbols.data();
  object.symbolCount = symbols.size();
  if (side.version) {
    object.facts = side.version->facts.c_str();
    object.launch = launchBeside;
    object.argumentBytes = side.version->guard.argumentBytes();
    object.context = new std::shared_ptr(side.version);
    object.release = [](const void *context) {
      delete static_cast<const std::shared_ptr<const VersionBeside> *>(context);
    };
  }
  add(&object);
}

void SideLoads::frozen(hsa_executable_t executable, const RocrEntries &rocr) {
  std::vector<Side> sides;
  {
    std::lock_guard guard(lock_);
    const auto it = byExecutable_.find(executable.handle);
    if (it == byExecutable_.end())
      return;
    sides = std::move(it->second);
  }
  for (Side &side : sides) {
    load(executable, side, rocr);
    announce(executable, side, rocr);
    if (!side.map.refused.empty())
      log::info("not verified: " + side.map.refused);
  }
  std::lock_guard guard(lock_);
  byExecutable_[executable.handle] = std::move(sides);
}

void SideLoads::forget(hsa_executable_t executable, const RocrEntries &rocr) {
  std::vector<Side> sides;
  {
    std::lock_guard guard(lock_);
    const auto it = byExecutable_.find(executable.handle);
    if (it == byExecutable_.end())
      return;
    sides = std::move(it->second);
    byExecutable_.erase(it);
  }
  const auto remove =
      softwareGpu<decltype(&meld_softgpu_verify_remove)>("meld_softgpu_verify_remove");
  for (Side &side : sides) {
    if (remove && side.descriptor)
      remove(side.descriptor);
    if (side.executable.handle)
      rocr.destroyExecutable(side.executable);
    if (side.reader.handle)
      rocr.destroyReader(side.reader);
  }
}

} // namespace meld
