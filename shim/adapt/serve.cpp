#include "shim/adapt/serve.h"

#include "runtime/engine/gated_compile.h"
#include "runtime/log/log.h"
#include "shim/naming.h"

namespace meld {

std::string whyNotServed(const CodeObject &original, const CodeObject &version,
                         const std::string &kernel, const Settings &settings) {
  const auto findings =
      compareForVersion(original, version, kernel, Gear::serve, lowerOccupancy(settings));
  return findings.empty() ? "" : findings.front().describe();
}

KernelRecipes allBy(const std::string &recipe, const CodeObject &object) {
  KernelRecipes recipes;
  for (const KernelMetadata &kernel : object.metadata.kernels)
    recipes[kernel.name] = recipe;
  return recipes;
}

std::vector<ServableVersion> servableVersions(ByteView source, const CodeObject &original,
                                              const KernelRecipes &recipes, Engine &engine) {
  std::vector<ServableVersion> versions;
  for (const KernelMetadata &kernel : original.metadata.kernels) {
    const auto recipe = recipes.find(kernel.name);
    if (recipe == recipes.end())
      continue;
    Decision decision = engine.decide(source, {kernel.name, recipe->second});
    std::string why = decision.reason;
    ServableVersion version{kernel.name, recipe->second, decision.key, decision.replacement, {}};
    if (version.bytes) {
      const auto code = CodeObject::parse(*version.bytes);
      why = code ? whyNotServed(original, *code, kernel.name, engine.options().settings)
                 : code.error().message;
      if (code)
        version.variables = variablesNeeded(original, *code);
    }
    if (version.bytes && why.empty())
      versions.push_back(std::move(version));
    else
      log::info("not served as " + recipe->second + ": " + kernel.name + ": " + why);
  }
  return versions;
}

void ServedVersions::serveAll(const std::string &recipe) {
  if (recipe.empty())
    return serve({});
  serve(
      [recipe](hsa_agent_t, ByteView, const CodeObject &object) { return allBy(recipe, object); });
}

std::vector<ServedVersions::Version> ServedVersions::made(const LoadedKernel &in, ByteView source,
                                                          const CodeObject &original,
                                                          Engine &engine,
                                                          const KernelRecipes &recipes) {
  std::vector<Version> versions;
  for (ServableVersion &one : servableVersions(source, original, recipes, engine)) {
    Version version;
    version.kernel = in;
    version.kernel.name = one.kernel;
    version.made = std::move(one);
    versions.push_back(std::move(version));
  }
  return versions;
}

bool ServedVersions::noteObject(hsa_executable_t executable) {
  std::lock_guard guard(lock_);
  Executable &known = executables_[executable.handle];
  if (++known.objects == 1)
    return true;
  known.versions.clear();
  return false;
}

void ServedVersions::loaded(hsa_executable_t executable, hsa_agent_t agent, ByteView source,
                            Engine &engine) {
  const auto original = CodeObject::parse(source);
  loaded(executable, agent, source, engine,
         original ? chooser_(agent, source, *original) : KernelRecipes());
}

void ServedVersions::loaded(hsa_executable_t executable, hsa_agent_t agent, ByteView source,
                            Engine &engine, const KernelRecipes &recipes) {
  if (!noteObject(executable))
    return;
  const auto original = CodeObject::parse(source);
  if (!original)
    return;
  auto versions = made({executable, agent, {}}, source, *original, engine, recipes);
  std::lock_guard guard(lock_);
  if (auto it = executables_.find(executable.handle);
      it != executables_.end() && it->second.objects == 1)
    it->second.versions = std::move(versions);
}

void ServedVersions::frozen(hsa_executable_t executable, const CoreApiTable &table, Engine &engine,
                            Report &report) {
  std::vector<Version> versions;
  {
    std::lock_guard guard(lock_);
    const auto it = executables_.find(executable.handle);
    if (it == executables_.end())
      return;
    versions = std::exchange(it->second.versions, {});
  }
  std::erase_if(versions, [&](Version &version) {
    version.original = kernelObject(table, version.kernel);
    auto loaded = loadVersion(table, version.kernel, version.made.bytes, version.made.variables);
    if (!loaded || !version.original) {
      const std::string why = loaded ? "no such kernel" : loaded.error().message;
      log::warning("version of " + version.kernel.name + " is not served: " + why);
      if (loaded)
        unloadVersion(table, *loaded);
      else if (loaded.error().code == ErrorCode::unsupported) // and would refuse it again
        engine.reject(version.made.key, why);
      return true;
    }
    version.loaded = std::move(*loaded);
    nameKernels(table, version.loaded.executable, {version.kernel.name});
    log::info("served as " + version.made.recipe + ": " + version.kernel.name);
    report.addServed(version.kernel.name, version.made.recipe);
    return false;
  });
  std::lock_guard guard(lock_);
  for (const Version &version : versions)
    byObject_[version.original] = version.loaded.object;
  executables_[executable.handle].versions = std::move(versions);
}

std::vector<LoadedVersion> ServedVersions::take(hsa_executable_t executable) {
  std::vector<LoadedVersion> loaded;
  std::lock_guard guard(lock_);
  const auto it = executables_.find(executable.handle);
  if (it == executables_.end())
    return loaded;
  for (Version &version : it->second.versions)
    if (version.loaded.object) {
      byObject_.erase(version.original);
      loaded.push_back(std::move(version.loaded));
    }
  executables_.erase(it);
  return loaded;
}

uint64_t ServedVersions::served(uint64_t object) const noexcept {
  std::lock_guard guard(lock_);
  const auto it = byObject_.find(object);
  return it == byObject_.end() ? object : it->second;
}

} // namespace meld
