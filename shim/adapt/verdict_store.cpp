#include "shim/adapt/verdict_store.h"

#include "jit/variant/recipes.h"
#include "runtime/engine/identity.h"
#include "runtime/log/log.h"
#include "shim/adapt/measured_entry.h"
#include "shim/naming.h"

#include <fstream>
#include <sys/utsname.h>

namespace meld::adapt {

namespace {

constexpr std::chrono::milliseconds kLockWait{200};

/// The driver: the version that the module tells, where it is not the kernel's own, and the
/// kernel's.
std::string driverVersion() {
  utsname system{};
  ::uname(&system);
  std::string version;
  std::ifstream file("/sys/module/amdgpu/version");
  std::getline(file, version);
  return std::string(system.release) + " " + version;
}

template <class T>
bool ask(const CoreApiTable &table, hsa_agent_t agent, unsigned what, T &answer) {
  return table.hsa_agent_get_info_fn(agent, static_cast<hsa_agent_info_t>(what), &answer) ==
         HSA_STATUS_SUCCESS;
}

/// Text that is equal for two devices on which a kernel takes the same time, as far as anyone can
/// ask. Empty where the device cannot be asked.
std::string describeDevice(const CoreApiTable &table, hsa_agent_t agent, const Settings &settings) {
  std::array<char, 64> name{}, product{};
  uint32_t units = 0;
  if (!ask(table, agent, HSA_AGENT_INFO_NAME, name) ||
      !ask(table, agent, HSA_AMD_AGENT_INFO_PRODUCT_NAME, product) ||
      !ask(table, agent, HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, units))
    return "";
  name.back() = product.back() = '\0';
  std::string text = std::string(name.data()) + "; " + product.data() + "; " +
                     std::to_string(units) + " compute units";
  if (onSoftwareGpu())
    // With MELD_GPU_TIMING, without which nothing is measured there: who asks without it (meld
    // verify) asks for what was.
    return text + "; software GPU, " + textOfFlag(true) + ", " +
           textOfParameters(settings.gpuTimingParams);
  const auto rocr = fileIdentity(findLibrary("libhsa-runtime64.so.1", {}));
  return text + "; driver " + driverVersion() + "; ROCr " + (rocr ? *rocr : "unknown");
}

} // namespace

std::string VerdictStore::deviceOf(hsa_agent_t agent) const {
  {
    std::lock_guard guard(lock_);
    if (const auto it = devices_.find(agent.handle); it != devices_.end())
      return it->second;
  }
  std::string device = describeDevice(table_, agent, engine_.options().settings);
  std::lock_guard guard(lock_);
  return devices_[agent.handle] = std::move(device);
}

std::optional<CacheKey> VerdictStore::keyOf(hsa_agent_t agent, ByteView original,
                                            const std::string &isa) const {
  const std::string device = deviceOf(agent);
  if (device.empty())
    return std::nullopt;
  KeyBuilder key;
  key.add("what", "verdicts");
  // All that a version of any kind depends on is in the key of one of them.
  key.add("versions", engine_.keyOf(original, isa, {"", std::string(jit::recipes[0].name)}).hex());
  key.add("device", device);
  return key.finish();
}

std::optional<ObjectVerdicts> VerdictStore::load(const CacheKey &key) const {
  LayeredCache *disk = usableDisk(engine_);
  const auto text = disk ? loadMeasured(*disk, key) : std::nullopt;
  if (!text)
    return std::nullopt;
  auto verdicts = ObjectVerdicts::parse(*text);
  if (verdicts)
    return std::move(*verdicts);
  log::info("what was measured before is not readable: " + verdicts.error().message);
  return std::nullopt;
}

void VerdictStore::save(const CacheKey &key, const ObjectVerdicts &verdicts) const {
  LayeredCache *disk = usableDisk(engine_);
  if (!disk)
    return;
  const FileLock lock = disk->lock(key, kLockWait);
  const std::optional<ObjectVerdicts> before = load(key);
  ObjectVerdicts all = before.value_or(ObjectVerdicts());
  size_t winners = 0;
  for (const auto &[name, kernel] : verdicts.kernels)
    all.kernels[name] = kernel;
  for (const auto &[name, kernel] : all.kernels)
    for (const ClassVerdict &verdict : kernel.classes)
      winners += !verdict.winner.empty();
  // A module that is loaded and unloaded all the time is told nothing new most of the time.
  const std::string text = all.text();
  if (before && before->text() == text)
    return;
  storeMeasured(*disk, key,
                "kernels measured: " + std::to_string(all.kernels.size()) +
                    ", launch classes that run another version: " + std::to_string(winners),
                text);
}

} // namespace meld::adapt
