#include "tests/jit/gate_view.h"

#include "runtime/gate/gate.h"

namespace meld::jit::test {

static ByteView viewOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

std::vector<std::string> gateFindings(std::string_view original, std::string_view replacement) {
  const auto findings = gate(viewOf(original), viewOf(replacement));
  if (!findings)
    return {findings.error().message};
  std::vector<std::string> words;
  for (const GateFinding &finding : *findings)
    words.push_back(finding.describe());
  return words;
}

uint64_t addressOf(std::string_view object, std::string_view symbol) {
  const auto code = CodeObject::parse(viewOf(object));
  const ElfSymbol *found = code ? code->symbol(symbol) : nullptr;
  return found ? found->value : 0;
}

} // namespace meld::jit::test
