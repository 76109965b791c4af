#include "runtime/gate/gate.h"

#include "runtime/gate/alignment.h"
#include "runtime/gate/kernel_interface.h"

#include <algorithm>
#include <set>

namespace meld {
namespace {

class Comparison {
public:
  Comparison(const CodeObject &original, const CodeObject &replacement, LowerOccupancy lower)
      : before_(original), after_(replacement), promised_(original, replacement), lower_(lower) {}

  std::vector<GateFinding> run() {
    compareTargets(before_, after_, [this](auto &&...finding) { add(finding...); });
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
    add(reason, subject, changeText(what, from, to));
  }

  void compareKernel(const KernelMetadata &a, const KernelMetadata &b) {
    const AddFinding found = [this](auto &&...finding) { add(finding...); };
    compareInterfaces(before_, a, after_, b, found);
    if (b.privateSize > a.privateSize)
      changed(GateReason::privateSegment, a.name, "private segment bytes", a.privateSize,
              b.privateSize);
    if (b.groupSize > a.groupSize)
      changed(GateReason::groupSegment, a.name, "group segment bytes", a.groupSize, b.groupSize);
    if (b.usesDynamicStack && !a.usesDynamicStack)
      add(GateReason::dynamicStack, a.name, "now uses a dynamic stack");
    compareRegisters(before_, a, b, lower_, found);
    const auto was = before_.descriptor(a), is = after_.descriptor(b);
    if (was && is && is->privateSize > was->privateSize)
      changed(GateReason::privateSegment, a.name, "private segment bytes of the descriptor",
              was->privateSize, is->privateSize);
  }

  void symbols() {
    std::set<std::string_view> known, descriptors;
    for (const KernelMetadata &kernel : before_.metadata.kernels)
      descriptors.insert(kernel.symbol);
    for (const ElfSymbol &symbol : before_.symbols) {
      known.insert(symbol.name);
      if (!symbol.defined() || namesBuild(symbol))
        continue;
      const ElfSymbol *same = after_.symbol(symbol.name);
      if (!same || !same->defined() || same->type != symbol.type)
        add(GateReason::symbolMissing, std::string(symbol.name), "symbol is missing");
      else if (symbol.type == STT_OBJECT && !descriptors.contains(symbol.name))
        variable(symbol, *same);
    }
    for (const ElfSymbol &symbol : after_.symbols)
      if (!known.contains(symbol.name) && !namesBuild(symbol))
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
  static constexpr const char *kNames[] = {
#define MELD_GATE_REASON(name, text) text,
#include "runtime/gate/gate_reasons.def"
#undef MELD_GATE_REASON
  };
  return kNames[unsigned(reason)];
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
  auto before = MELD_TRY(CodeObject::parse(original));
  return gate(before, replacement, lower);
}

} // namespace meld
