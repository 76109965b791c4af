#include "shim/verify/versions.h"

#include "jit/variant/recipes.h"
#include "runtime/log/log.h"
#include "shim/adapt/packet_handler.h"
#include "shim/adapt/verdict_store.h"

#include <algorithm>
#include <cstring>

namespace meld {
namespace {

constexpr const char *kNotForThis = "not for this version";

Result<VersionBeside> versionOf(const CodeObject &original, const KernelMetadata &kernel,
                                const Decision &decision) {
  if (!decision.replacement)
    return fail(ErrorCode::unsupported, decision.reason);
  const auto code = MELD_TRY(CodeObject::parse(*decision.replacement));
  const KernelMetadata *own = code.metadata.find(kernel.name);
  if (!own)
    return fail(ErrorCode::badInput, "the version has no such kernel");
  VersionBeside version{kernel.name,
                        decision.replacement,
                        variablesNeeded(original, code),
                        launchSizes(kernel),
                        launchSizes(*own),
                        decision.facts,
                        {}};
  if (version.facts.empty())
    return version;
  const auto facts = parseFacts(version.facts);
  if (!facts)
    return fail(ErrorCode::badInput, "facts that are none");
  version.guard = MELD_TRY(adapt::Guard::compile(*facts, kernel.kernargSize));
  return version;
}

/// What a kernel's versions are asked for with: nothing but the recipe, or facts, one version each.
std::vector<std::string> asked(const KernelMetadata &kernel, bool specialized,
                               const adapt::ObjectVerdicts &known) {
  if (!specialized)
    return {""};
  std::vector<std::string> all;
  if (const auto it = known.kernels.find(kernel.name); it != known.kernels.end())
    for (const adapt::SpecialisedVerdict &one : it->second.specialised)
      if (!one.facts.empty())
        all.push_back(one.asked);
  if (all.empty())
    log::info("no specialised version of " + kernel.name + " is known from earlier runs");
  return all;
}

} // namespace

std::vector<VersionBeside> versionsBeside(const std::string &recipe, const CoreApiTable &table,
                                          hsa_agent_t agent, ByteView source,
                                          const CodeObject &original, Engine &engine) {
  const jit::Recipe *found = jit::findRecipe(recipe);
  const bool specialized = found && found->specialized;
  adapt::ObjectVerdicts known;
  if (specialized) {
    const adapt::VerdictStore store(table, engine);
    if (const auto key = store.keyOf(agent, source, original.isa.targetId()))
      known = store.load(*key).value_or(adapt::ObjectVerdicts());
  }
  std::vector<VersionBeside> versions;
  for (const KernelMetadata &kernel : original.metadata.kernels)
    for (const std::string &facts : asked(kernel, specialized, known)) {
      auto version =
          versionOf(original, kernel, engine.decide(source, {kernel.name, recipe, facts}));
      if (!version) {
        log::info("not verified as " + recipe + ": " + kernel.name + ": " +
                  version.error().message);
        continue;
      }
      // What was asked for differently may depend on the same.
      if (std::ranges::none_of(versions, [&](const VersionBeside &other) {
            return other.kernel == version->kernel && other.facts == version->facts;
          }))
        versions.push_back(std::move(*version));
    }
  return versions;
}

const char *launchBeside(const void *context, void *packet, const void *arguments,
                         uint64_t readable) noexcept {
  const VersionBeside &version =
      **static_cast<const std::shared_ptr<const VersionBeside> *>(context);
  hsa_kernel_dispatch_packet_t p;
  std::memcpy(&p, packet, sizeof p);
  if (!version.facts.empty()) {
    adapt::Arguments taken;
    taken.take(arguments, readable, version.guard.argumentBytes());
    if (!version.guard.holds(adapt::shapeOf(p), taken))
      return kNotForThis;
  }
  const PacketSizes given{p.group_segment_size, p.private_segment_size};
  if (given.groupBytes < version.original.groupBytes)
    return "the launch asks for less LDS than the original has";
  const auto sizes = packetFor(version.original, version.version, given);
  if (!sizes)
    return whyNoPacket(version.original, version.version, given);
  p.group_segment_size = sizes->groupBytes;
  p.private_segment_size = sizes->privateBytes;
  std::memcpy(packet, &p, sizeof p);
  return nullptr;
}

} // namespace meld
