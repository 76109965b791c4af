#include "shim/verify/object_map.h"

#include <algorithm>
#include <map>

namespace meld {
namespace {

constexpr std::string_view kDescriptor = ".kd";

struct Named {
  ElfSymbol symbol;
  bool writable = false, dynamic = false;
  unsigned count = 1; ///< how many have this name
};

struct Table {
  std::map<std::string, Named, std::less<>> byName;
  uint64_t start = ~0ull, end = 0;
  std::string unnamed; ///< a section that holds data without a name
};

bool isData(const ElfSymbol &s) { return s.type == STT_OBJECT && !s.name.ends_with(kDescriptor); }

/// A section a kernel may write to, as far as the compiler puts variables there.
bool holdsVariables(const ElfSection &section) {
  return (section.flags & SHF_WRITE) && (section.flags & SHF_ALLOC) &&
         (section.name.starts_with(".data") || section.name.starts_with(".bss"));
}

void add(Table &table, const Elf &elf, const ElfSymbol &symbol, bool dynamic) {
  if (!symbol.defined() || symbol.sectionIndex >= elf.sections().size() ||
      (!isData(symbol) && symbol.type != STT_FUNC && !symbol.name.ends_with(kDescriptor)))
    return;
  const bool writable = elf.sections()[symbol.sectionIndex].flags & SHF_WRITE;
  const auto [it, fresh] =
      table.byName.try_emplace(std::string(symbol.name), Named{symbol, writable, dynamic, 1});
  if (fresh)
    return;
  Named &known = it->second;
  known.dynamic |= dynamic;
  if (known.symbol.value != symbol.value || known.symbol.size != symbol.size)
    ++known.count; // file-local names may repeat where units were linked together
}

/// Without names for local symbols, a variable may be there that nobody can tell.
std::string unnamedData(const Table &table, const Elf &elf) {
  for (const ElfSection &section : elf.sections()) {
    if (!holdsVariables(section))
      continue;
    uint64_t named = 0;
    for (const auto &[name, known] : table.byName)
      if (isData(known.symbol) && known.symbol.value >= section.address &&
          known.symbol.value - section.address < section.size)
        named += known.symbol.size;
    if (named != section.size) // something local, or only padding: nobody can tell
      return std::string(section.name);
  }
  return {};
}

Result<Table> tableOf(const Elf &elf) {
  const auto dynamic = MELD_TRY(elf.dynamicSymbols()), all = MELD_TRY(elf.allSymbols());
  Table table;
  for (const ElfSymbol &symbol : dynamic)
    add(table, elf, symbol, true);
  for (const ElfSymbol &symbol : all)
    add(table, elf, symbol, false);
  for (const Elf64_Phdr &segment : elf.segments())
    if (segment.p_type == PT_LOAD) {
      table.start = std::min(table.start, segment.p_vaddr);
      table.end = std::max(table.end, segment.p_vaddr + segment.p_memsz);
    }
  if (all.empty())
    table.unnamed = unnamedData(table, elf);
  return table;
}

/// Adds what both have under one name; non-empty: why the objects cannot share it.
std::string pairUp(const std::string &name, const Named &original, const Named &replacement,
                   ObjectMap &map) {
  MappedSymbol both{name, original.symbol.value, replacement.symbol.value, original.symbol.size,
                    false};
  if (name.ends_with(kDescriptor)) {
    both.name.resize(name.size() - kDescriptor.size());
    map.kernels.push_back(std::move(both));
    return {};
  }
  if (isData(replacement.symbol)) {
    both.variable = replacement.writable || original.dynamic;
    if (both.variable && original.symbol.size != replacement.symbol.size)
      return "its variable " + name + " has another size";
    if (both.variable && (original.count > 1 || replacement.count > 1))
      return "it has several variables " + name;
  }
  if (original.count == 1 && replacement.count == 1 && both.size)
    map.symbols.push_back(std::move(both));
  return {};
}

} // namespace

Result<ObjectMap> mapObjects(ByteView originalBytes, ByteView replacementBytes) {
  const Elf originalElf = MELD_TRY(Elf::parse(originalBytes)),
            replacementElf = MELD_TRY(Elf::parse(replacementBytes));
  const Table original = MELD_TRY(tableOf(originalElf)),
              replacement = MELD_TRY(tableOf(replacementElf));
  ObjectMap map;
  map.originalStart = original.start;
  map.originalEnd = original.end;
  map.replacementStart = replacement.start;
  map.replacementEnd = replacement.end;
  auto refuse = [&map](std::string why) {
    if (map.refused.empty())
      map.refused = std::move(why);
  };
  for (const Table *table : {&original, &replacement})
    if (!table->unnamed.empty())
      refuse("its variables have no names (" + table->unnamed + ")");
  for (const auto &[name, known] : replacement.byName) {
    const auto found = original.byName.find(name);
    if (found != original.byName.end())
      refuse(pairUp(name, found->second, known, map));
    else if (isData(known.symbol) && known.writable)
      refuse("only the replacement has the variable " + name);
  }
  return map;
}

} // namespace meld
