#include "runtime/gate/kernel_interface.h"

#include "runtime/gpu/occupancy.h"
#include "runtime/gpu/target.h"

#include <algorithm>

namespace meld {
namespace {

// COMPUTE_PGM_RSRC1: FLOAT_ROUND_MODE_32 .. FLOAT_DENORM_MODE_16_64 are bits 12-19,
// ENABLE_DX10_CLAMP 21, ENABLE_IEEE_MODE 23.
constexpr uint32_t kFloatModeMask = 0xffu << 12 | 1u << 21 | 1u << 23;

void compareArguments(const KernelMetadata &a, const KernelMetadata &b, const AddFinding &add) {
  auto part = [](const KernelMetadata &kernel, bool hidden) {
    std::vector<KernelArg> args;
    for (const KernelArg &arg : kernel.args)
      if (arg.hidden() == hidden)
        args.push_back(arg);
    return args;
  };
  if (part(a, false) != part(b, false))
    add(GateReason::explicitArgs, a.name, "explicit arguments differ");
  auto given = part(a, true);
  for (const KernelArg &arg : part(b, true))
    if (std::find(given.begin(), given.end(), arg) == given.end())
      add(GateReason::hiddenArgs, a.name,
          "needs " + arg.valueKind + " at offset " + std::to_string(arg.offset));
}

/// Where the last explicit argument ends.
uint64_t explicitBytes(const KernelMetadata &kernel) {
  uint64_t end = 0;
  for (const KernelArg &arg : kernel.args)
    if (!arg.hidden())
      end = std::max(end, arg.offset + arg.size);
  return end;
}

void compareDescriptors(const CodeObject &before, const KernelMetadata &a, const CodeObject &after,
                        const KernelMetadata &b, const AddFinding &add) {
  auto was = before.descriptor(a);
  auto is = after.descriptor(b);
  if (!was || !is)
    return add(GateReason::descriptor, a.name, (!was ? was : is).error().message);
  if (is->groupSize != b.groupSize || is->privateSize != b.privateSize ||
      is->wavefrontSize() != b.wavefrontSize)
    add(GateReason::descriptor, a.name, "descriptor and metadata disagree");
  if ((was->rsrc1 ^ is->rsrc1) & kFloatModeMask)
    add(GateReason::floatMode, a.name,
        "COMPUTE_PGM_RSRC1 " + hexOffset(was->rsrc1) + " -> " + hexOffset(is->rsrc1));
}

/// The metadata's number, if it can be one.
unsigned waveSize(const KernelMetadata &kernel) {
  return static_cast<unsigned>(std::min<uint64_t>(kernel.wavefrontSize, 1024));
}

} // namespace

std::string changeText(const char *what, uint64_t from, uint64_t to) {
  return std::string(what) + " " + std::to_string(from) + " -> " + std::to_string(to);
}

void compareTargets(const CodeObject &before, const CodeObject &after, const AddFinding &add) {
  const Elf64_Ehdr &a = before.elf.header(), &b = after.elf.header();
  if (a.e_flags != b.e_flags)
    add(GateReason::targetId, {},
        before.isa.targetId() + " (e_flags " + hexOffset(a.e_flags) + ") -> " +
            after.isa.targetId() + " (e_flags " + hexOffset(b.e_flags) + ")");
  if (before.isa.codeObjectVersion != after.isa.codeObjectVersion)
    add(GateReason::targetId, {},
        changeText("code-object version", before.isa.codeObjectVersion,
                   after.isa.codeObjectVersion));
  if (before.metadata.versionMajor != after.metadata.versionMajor ||
      before.metadata.versionMinor != after.metadata.versionMinor)
    add(GateReason::targetId, {}, "metadata version differs");
  if (before.metadata.target != after.metadata.target)
    add(GateReason::targetId, {},
        "metadata target '" + before.metadata.target + "' -> '" + after.metadata.target + "'");
}

void compareInterfaces(const CodeObject &before, const KernelMetadata &a, const CodeObject &after,
                       const KernelMetadata &b, const AddFinding &add) {
  auto changed = [&](GateReason reason, const char *what, uint64_t from, uint64_t to) {
    add(reason, a.name, changeText(what, from, to));
  };
  if (a.symbol != b.symbol)
    add(GateReason::kernelSet, a.name, "descriptor symbol " + a.symbol + " -> " + b.symbol);
  // Fewer bytes are those of hidden arguments that it no longer needs: the host fills in what the
  // loaded object's metadata ask for, and the arguments of a launch that are for the original are
  // enough for a version of it.
  if (b.kernargSize > a.kernargSize || b.kernargSize < explicitBytes(b))
    changed(GateReason::kernargSize, "kernarg size", a.kernargSize, b.kernargSize);
  if (b.kernargAlign > a.kernargAlign)
    changed(GateReason::kernargAlign, "kernarg alignment", a.kernargAlign, b.kernargAlign);
  compareArguments(a, b, add);
  if (a.wavefrontSize != b.wavefrontSize)
    changed(GateReason::wavefrontSize, "wavefront size", a.wavefrontSize, b.wavefrontSize);
  if (a.reqdWorkgroupSize != b.reqdWorkgroupSize)
    add(GateReason::reqdWorkgroupSize, a.name, "required work-group size differs");
  if (b.maxFlatWorkgroupSize < a.maxFlatWorkgroupSize)
    changed(GateReason::maxWorkgroupSize, "largest work-group", a.maxFlatWorkgroupSize,
            b.maxFlatWorkgroupSize);
  compareDescriptors(before, a, after, b, add);
}

void compareRegisters(const CodeObject &before, const KernelMetadata &a, const KernelMetadata &b,
                      LowerOccupancy lower, const AddFinding &add) {
  // What the original's workgroups leave room for holds for both: neither may grow.
  const WorkgroupSize size{a.groupSize, a.maxFlatWorkgroupSize};
  const bool allowed = lower == LowerOccupancy::allowed;
  bool more = b.vgprs > a.vgprs || b.agprs > a.agprs || b.sgprs > a.sgprs;
  for (std::string_view processor : processorsOf(before.isa.processor)) {
    auto was = wavesPerSimd(processor, waveSize(a), {a.vgprs, a.agprs, a.sgprs}, size);
    auto is = wavesPerSimd(processor, waveSize(b), {b.vgprs, b.agprs, b.sgprs}, size);
    if (allowed || (was && is ? *is >= *was : !more))
      continue;
    const bool generic = processor != before.isa.processor;
    const std::string where = generic ? " on " + std::string(processor) : "";
    if (was && is)
      add(GateReason::occupancy, a.name,
          "waves per SIMD" + where + " " + std::to_string(*was) + " -> " + std::to_string(*is) +
              " (VGPRs " + std::to_string(a.vgprs) + " -> " + std::to_string(b.vgprs) + ", SGPRs " +
              std::to_string(a.sgprs) + " -> " + std::to_string(b.sgprs) + ")");
    else
      add(GateReason::occupancy, a.name, "more registers on a processor of unknown size");
    break; // one is enough
  }
  // A cooperative launch was sized by the host for the original's register counts.
  if (a.cooperative && more)
    add(GateReason::cooperativeRegisters, a.name,
        "grid synchronisation, and VGPRs " + std::to_string(a.vgprs) + " -> " +
            std::to_string(b.vgprs) + ", SGPRs " + std::to_string(a.sgprs) + " -> " +
            std::to_string(b.sgprs));
}

} // namespace meld
