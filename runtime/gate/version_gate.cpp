#include "runtime/gate/version_gate.h"

#include "runtime/gate/kernel_interface.h"

#include <nlohmann/json.hpp>

namespace meld {
namespace {

/// What the version needs is there, and it brings nothing but its kernel.
void compareSymbols(const CodeObject &original, const CodeObject &version,
                    const KernelMetadata &kernel, const AddFinding &add) {
  for (const ElfSymbol &symbol : version.symbols)
    if (symbol.defined() && symbol.name != kernel.name && symbol.name != kernel.symbol &&
        !namesBuild(symbol))
      add(GateReason::symbolAdded, std::string(symbol.name), "symbol is new");
  for (const std::string &name : variablesNeeded(original, version)) {
    const ElfSymbol *variable = original.symbol(name);
    if (!variable || variable->type != STT_OBJECT)
      add(GateReason::symbolMissing, name, "the original has no such variable");
  }
}

/// Whether the version's maker says that its kernel waits for no other work-group. Who says
/// nothing, says no.
bool waitsForNobody(const CodeObject &version) {
  const ElfSection *section = version.elf.section(".meld");
  if (!section)
    return false;
  const auto text = nlohmann::json::parse(section->bytes.begin(), section->bytes.end(), nullptr,
                                          /*allow_exceptions=*/false);
  const auto waits = text.is_object() ? text.find("waits") : text.end();
  return waits != text.end() && waits->is_boolean() && !waits->get<bool>();
}

} // namespace

std::vector<GateFinding> compareForVersion(const CodeObject &original, const CodeObject &version,
                                           const std::string &kernel, Gear gear,
                                           LowerOccupancy lower) {
  std::vector<GateFinding> findings;
  const AddFinding add = [&](GateReason reason, const std::string &subject, std::string text) {
    findings.push_back({reason, subject, std::move(text)});
  };
  compareTargets(original, version, add);
  const KernelMetadata *a = original.metadata.find(kernel), *b = version.metadata.find(kernel);
  if (!a || !b) {
    add(GateReason::kernelSet, kernel, "kernel is missing");
    return findings;
  }
  if (version.metadata.kernels.size() != 1)
    add(GateReason::kernelSet, kernel, "the version has other kernels, too");
  compareInterfaces(original, *a, version, *b, add);
  compareSymbols(original, version, *b, add);
  if (b->privateSize > a->privateSize)
    add(GateReason::privateSegment, kernel,
        changeText("private segment bytes", a->privateSize, b->privateSize));
  if (b->usesDynamicStack && !a->usesDynamicStack)
    add(GateReason::dynamicStack, kernel, "now uses a dynamic stack");
  if (gear == Gear::launch && waitsForNobody(version))
    return findings;
  if (b->groupSize > a->groupSize)
    add(GateReason::groupSegment, kernel,
        changeText("group segment bytes", a->groupSize, b->groupSize));
  compareRegisters(original, *a, *b, lower, add);
  return findings;
}

std::vector<std::string> variablesNeeded(const CodeObject &original, const CodeObject &version) {
  std::vector<std::string> names;
  for (const ElfSymbol &symbol : version.symbols) {
    const ElfSymbol *same = original.symbol(symbol.name);
    if (!symbol.defined() && (!same || same->defined()))
      names.emplace_back(symbol.name);
  }
  return names;
}

LaunchSizes launchSizes(const KernelMetadata &kernel) {
  return {uint32_t(kernel.groupSize), uint32_t(kernel.privateSize), kernel.usesDynamicStack};
}

const char *whyNoPacket(const LaunchSizes &original, const LaunchSizes &version,
                        const PacketSizes &given) noexcept {
  if (version.groupBytes != original.groupBytes && given.groupBytes != original.groupBytes)
    return "its static LDS has another size, and the launch's dynamic LDS lies behind it";
  if (version.privateBytes > given.privateBytes)
    return "it needs more scratch than the launch asks for";
  if (version.dynamicStack && !original.dynamicStack)
    return "it needs a dynamic stack";
  return nullptr;
}

std::optional<PacketSizes> packetFor(const LaunchSizes &original, const LaunchSizes &version,
                                     const PacketSizes &given) noexcept {
  if (whyNoPacket(original, version, given))
    return std::nullopt;
  PacketSizes sizes = given;
  if (version.groupBytes != original.groupBytes)
    sizes.groupBytes = version.groupBytes;
  // A packet that asks for more than the original needs has its reasons.
  if (!original.dynamicStack && given.privateBytes == original.privateBytes)
    sizes.privateBytes = version.privateBytes;
  return sizes;
}

} // namespace meld
