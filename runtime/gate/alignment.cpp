#include "runtime/gate/alignment.h"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

namespace meld {
namespace {

constexpr uint64_t kPage = 4096;
/// The strictest alignment of a built-in type (float4, double2): a small variable may ask for it by
/// alignas.
constexpr uint64_t kStrictestType = 16;

} // namespace

uint64_t PromisedAlignment::ofAddress(uint64_t address) {
  return address ? std::min(address & -address, kPage) : kPage;
}

uint64_t PromisedAlignment::mostAsked(const ElfSymbol &variable) const {
  const auto &sections = original_.elf.sections();
  if (variable.sectionIndex >= sections.size())
    return 1;
  const uint64_t bySize = std::max(std::bit_ceil(std::min(variable.size, kPage)), kStrictestType);
  const uint64_t bySection = std::max<uint64_t>(1, sections[variable.sectionIndex].alignment);
  return std::min({ofAddress(variable.value), bySection, bySize});
}

const std::map<std::string, uint64_t, std::less<>> &PromisedAlignment::declared() {
  if (declared_)
    return *declared_;
  declared_.emplace();
  const ElfSection *section = replacement_.elf.section(".meld");
  if (!section)
    return *declared_;
  const auto text = nlohmann::json::parse(section->bytes.begin(), section->bytes.end(), nullptr,
                                          /*allow_exceptions=*/false);
  const auto variables = text.is_object() ? text.find("variables") : text.end();
  if (variables == text.end() || !variables->is_object())
    return *declared_;
  for (const auto &[name, alignment] : variables->items())
    if (alignment.is_number_unsigned() && std::has_single_bit(alignment.get<uint64_t>()))
      declared_->emplace(name, alignment.get<uint64_t>());
  return *declared_;
}

uint64_t PromisedAlignment::of(const ElfSymbol &variable) {
  const auto found = declared().find(variable.name);
  return found != declared().end() ? std::min(found->second, ofAddress(variable.value))
                                   : mostAsked(variable);
}

} // namespace meld
