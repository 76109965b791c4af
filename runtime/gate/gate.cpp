#include "runtime/gate/gate.h"

#include "runtime/gate/alignment.h"
#include "runtime/gate/occupancy.h"

#include <algorithm>
#include <set>

namespace meld {
namespace {

// COMPUTE_PGM_RSRC1: FLOAT_ROUND_MODE_32 .. FLOAT_DENORM_MODE_16_64 are bits 12-19,
// ENABLE_DX10_CLAMP 21, ENABLE_IEEE_MODE 23.
constexpr uint32_t kFloatModeMask = 0xffu << 12 | 1u << 21 | 1u << 23;

class Comparison {
public:
  Comparison(const CodeObject &original, const CodeObject &replacement, LowerOccupancy lower)
      : before_(original), after_(replacement), promised_(original, replacement), lower_(lower) {}

  std::vector<GateFinding> run() {
    object();
    for (const KernelMetadata &kernel : before_.metadata.kernels) {
      if (const KernelMetadata *same = after_.metadata.find(kernel.name))
        compareKernel(kernel, *same);
      else
        add(GateReason::kernelSet, kernel.name, "kernel is missing");
    }
    for (const KernelMetadata &kernel : after_.metadata.kernels)
      if (!before_.metadata.find(kernel.name))
        add(GateReason::kernelSet, kernel.name, "kernel is new");
    symbols();
    return std::move(findings_);
  }

private:
  void add(GateReason reason, const std::string &subject, std::string text) {
    findings_.push_back({reason, subject, std::move(text)});
  }

  void changed(GateReason reason, const std::string &subject, const char *what, uint64_t from,
               uint64_t to) {
    add(reason, subject,
        std::string(what) + " " + std::to_string(from) + " -> " + std::to_string(to));
  }

  void object() {
    const Elf64_Ehdr &a = before_.elf.header(), &b = after_.elf.header();
    if (a.e_flags != b.e_flags)
      add(GateReason::targetId, {},
          before_.isa.targetId() + " (e_flags " + hexOffset(a.e_flags) + ") -> " +
              after_.isa.targetId() + " (e_flags " + hexOffset(b.e_flags) + ")");
    if (before_.isa.codeObjectVersion != after_.isa.codeObjectVersion)
      changed(GateReason::targetId, {}, "code-object version", before_.isa.codeObjectVersion,
              after_.isa.codeObjectVersion);
    if (before_.metadata.versionMajor != after_.metadata.versionMajor ||
        before_.metadata.versionMinor != after_.metadata.versionMinor)
      add(GateReason::targetId, {}, "metadata version differs");
    if (before_.metadata.target != after_.metadata.target)
      add(GateReason::targetId, {},
          "metadata target '" + before_.metadata.target + "' -> '" + after_.metadata.target + "'");
  }

  void compareKernel(const KernelMetadata &a, const KernelMetadata &b) {
    if (a.symbol != b.symbol)
      add(GateReason::kernelSet, a.name, "descriptor symbol " + a.symbol + " -> " + b.symbol);
    if (a.kernargSize != b.kernargSize)
      changed(GateReason::kernargSize, a.name, "kernarg size", a.kernargSize, b.kernargSize);
    if (a.kernargAlign != b.kernargAlign)
      changed(GateReason::kernargAlign, a.name, "kernarg alignment", a.kernargAlign,
              b.kernargAlign);
    arguments(a, b);
    if (a.wavefrontSize != b.wavefrontSize)
      changed(GateReason::wavefrontSize, a.name, "wavefront size", a.wavefrontSize,
              b.wavefrontSize);
    if (a.reqdWorkgroupSize != b.reqdWorkgroupSize)
      add(GateReason::reqdWorkgroupSize, a.name, "required work-group size differs");
    if (b.maxFlatWorkgroupSize < a.maxFlatWorkgroupSize)
      changed(GateReason::maxWorkgroupSize, a.name, "largest work-group", a.maxFlatWorkgroupSize,
              b.maxFlatWorkgroupSize);
    if (b.privateSize > a.privateSize)
      changed(GateReason::privateSegment, a.name, "private segment bytes", a.privateSize,
              b.privateSize);
    if (b.groupSize > a.groupSize)
      changed(GateReason::groupSegment, a.name, "group segment bytes", a.groupSize, b.groupSize);
    if (b.usesDynamicStack && !a.usesDynamicStack)
      add(GateReason::dynamicStack, a.name, "now uses a dynamic stack");
    registers(a, b);
    descriptors(a, b);
  }

  void arguments(const KernelMetadata &a, const KernelMetadata &b) {
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

  void registers(const KernelMetadata &a, const KernelMetadata &b) {
    const std::string &processor = before_.isa.processor;
    // What the original's workgroups leave room for holds for both: neither may grow.
    const WorkgroupSize size{a.groupSize, a.maxFlatWorkgroupSize};
    auto was = wavesPerSimd(processor, a.wavefrontSize, a.vgprs, a.agprs, a.sgprs, size);
    auto is = wavesPerSimd(processor, b.wavefrontSize, b.vgprs, b.agprs, b.sgprs, size);
    const bool allowed = lower_ == LowerOccupancy::allowed;
    bool more = b.vgprs > a.vgprs || b.agprs > a.agprs || b.sgprs > a.sgprs;
    if (was && is) {
      if (*is < *was && !allowed)
        add(GateReason::occupancy, a.name,
            "waves per SIMD " + std::to_string(*was) + " -> " + std::to_string(*is) + " (VGPRs " +
                std::to_string(a.vgprs) + " -> " + std::to_string(b.vgprs) + ", SGPRs " +
                std::to_string(a.sgprs) + " -> " + std::to_string(b.sgprs) + ")");
    } else if (more && !allowed) {
      add(GateReason::occupancy, a.name, "more registers on a processor of unknown size");
    }
    // A cooperative launch was sized by the host for the original's register counts.
    if (a.cooperative && more)
      add(GateReason::cooperativeRegisters, a.name,
          "grid synchronisation, and VGPRs " + std::to_string(a.vgprs) + " -> " +
              std::to_string(b.vgprs) + ", SGPRs " + std::to_string(a.sgprs) + " -> " +
              std::to_string(b.sgprs));
  }

  void descriptors(const KernelMetadata &a, const KernelMetadata &b) {
    auto was = before_.descriptor(a);
    auto is = after_.descriptor(b);
    if (!was || !is) {
      add(GateReason::descriptor, a.name, (!was ? was : is).error().message);
      return;
    }
    if (is->groupSize != b.groupSize || is->privateSize != b.privateSize ||
        is->wavefrontSize() != b.wavefrontSize)
      add(GateReason::descriptor, a.name, "descriptor and metadata disagree");
    if (is->privateSize > was->privateSize)
      changed(GateReason::privateSegment, a.name, "private segment bytes of the descriptor",
              was->privateSize, is->privateSize);
    if ((was->rsrc1 ^ is->rsrc1) & kFloatModeMask)
      add(GateReason::floatMode, a.name,
          "COMPUTE_PGM_RSRC1 " + hexOffset(was->rsrc1) + " -> " + hexOffset(is->rsrc1));
  }

  void symbols() {
    std::set<std::string_view> known, descriptors;
    for (const KernelMetadata &kernel : before_.metadata.kernels)
      descriptors.insert(kernel.symbol);
    for (const ElfSymbol &symbol : before_.symbols) {
      known.insert(symbol.name);
      if (!symbol.defined())
        continue;
      const ElfSymbol *same = after_.symbol(symbol.name);
      if (!same || !same->defined() || same->type != symbol.type)
        add(GateReason::symbolMissing, std::string(symbol.name), "symbol is missing");
      else if (symbol.type == STT_OBJECT && !descriptors.contains(symbol.name))
        variable(symbol, *same);
    }
    for (const ElfSymbol &symbol : after_.symbols)
      if (!known.contains(symbol.name))
        add(GateReason::symbolAdded, std::string(symbol.name),
            symbol.defined() ? "symbol is new" : "refers to a new symbol");
  }

  void variable(const ElfSymbol &a, const ElfSymbol &b) {
    std::string name(a.name);
    if (a.size != b.size) {
      changed(GateReason::symbolSize, name, "bytes", a.size, b.size);
      return;
    }
    // Mostly no question: the address is as good as it was.
    const uint64_t is = PromisedAlignment::ofAddress(b.value);
    if (is < PromisedAlignment::ofAddress(a.value))
      if (const uint64_t promised = promised_.of(a); is < promised)
        changed(GateReason::symbolAlignment, name, "alignment", promised, is);
    auto from = before_.elf.atAddress(a.value, a.size);
    auto to = after_.elf.atAddress(b.value, b.size);
    bool zeroBefore = !from && before_.elf.isZeroFilled(a.value, a.size);
    bool zeroAfter = !to && after_.elf.isZeroFilled(b.value, b.size);
    bool same = from && to ? std::equal(from->begin(), from->end(), to->begin(), to->end())
                           : zeroBefore && zeroAfter;
    if (!same)
      add(GateReason::symbolBytes, name, "initial value differs");
  }

  const CodeObject &before_, &after_;
  PromisedAlignment promised_;
  const LowerOccupancy lower_;
  std::vector<GateFinding> findings_;
};

} // namespace

const char *gateReasonName(GateReason reason) {
  switch (reason) {
  case GateReason::targetId:
    return "target-id";
  case GateReason::kernelSet:
    return "kernel-set";
  case GateReason::kernargSize:
    return "kernarg-size";
  case GateReason::kernargAlign:
    return "kernarg-align";
  case GateReason::explicitArgs:
    return "explicit-args";
  case GateReason::hiddenArgs:
    return "hidden-args";
  case GateReason::wavefrontSize:
    return "wavefront-size";
  case GateReason::reqdWorkgroupSize:
    return "reqd-workgroup-size";
  case GateReason::maxWorkgroupSize:
    return "max-workgroup-size";
  case GateReason::privateSegment:
    return "private-segment";
  case GateReason::groupSegment:
    return "group-segment";
  case GateReason::dynamicStack:
    return "dynamic-stack";
  case GateReason::floatMode:
    return "float-mode";
  case GateReason::descriptor:
    return "descriptor";
  case GateReason::occupancy:
    return "occupancy";
  case GateReason::cooperativeRegisters:
    return "cooperative-registers";
  case GateReason::symbolMissing:
    return "symbol-missing";
  case GateReason::symbolAdded:
    return "symbol-added";
  case GateReason::symbolSize:
    return "symbol-size";
  case GateReason::symbolAlignment:
    return "symbol-alignment";
  case GateReason::symbolBytes:
    return "symbol-bytes";
  case GateReason::malformed:
    return "malformed";
  }
  return "?";
}

std::string GateFinding::describe() const {
  std::string out = gateReasonName(reason);
  if (!subject.empty())
    out += " [" + subject + "]";
  return out + ": " + text;
}

std::vector<GateFinding> compareForReplacement(const CodeObject &original,
                                               const CodeObject &replacement,
                                               LowerOccupancy lower) {
  return Comparison(original, replacement, lower).run();
}

std::vector<GateFinding> gate(const CodeObject &original, ByteView replacement,
                              LowerOccupancy lower) {
  auto after = CodeObject::parse(replacement);
  if (!after)
    return {{GateReason::malformed, {}, after.error().message}};
  return compareForReplacement(original, *after, lower);
}

Result<std::vector<GateFinding>> gate(ByteView original, ByteView replacement,
                                      LowerOccupancy lower) {
  auto before = CodeObject::parse(original);
  if (!before)
    return tl::unexpected(before.error());
  return gate(*before, replacement, lower);
}

} // namespace meld
