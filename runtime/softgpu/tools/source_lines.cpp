#include "runtime/softgpu/tools/source_lines.h"

#include "runtime/softgpu/isa/decoder.h"

#include <algorithm>
#include <cstring>

namespace meld::softgpu {

namespace {

/// The instruction at an address of the object, disassembled as profiles do; "" where there is none.
std::string textAt(const Elf &elf, uint64_t address, uint64_t offset, isa::Target target) {
  uint8_t bytes[16] = {};
  for (size_t have : {16, 12, 8, 4})
    if (const auto code = elf.atAddress(address, have)) {
      std::memcpy(bytes, code->data(), have);
      isa::Inst inst;
      if (isa::decode(bytes, have, target, inst) != isa::DecodeStatus::ok)
        return {};
      std::string text = isa::disassemble(inst, target, offset);
      std::ranges::replace(text, '\t', ' ');
      return text;
    }
  return {};
}

bool isCode(const KernelPlace &place, std::span<const RanCode> code, isa::Target target) {
  return std::ranges::all_of(code, [&](const RanCode &i) {
    const std::string text =
        textAt(place.object->elf, place.entry + uint64_t(i.offset), uint64_t(i.offset), target);
    return !text.empty() && text == i.text;
  });
}

} // namespace

void SourceLines::open(const std::string &path) {
  auto file = ObjectFile::open(path);
  if (file)
    files_.push_back(std::move(*file));
  else
    notes_.push_back("no source lines from " + file.error().message);
}

std::optional<KernelLines> SourceLines::of(const std::string &kernel, const std::string &device,
                                           std::span<const RanCode> code, bool replaced,
                                           std::string &note) const {
  const auto target = isa::targetFromName(device);
  bool found = false;
  for (const ObjectFile &file : files_)
    for (const KernelPlace &place : file.find(kernel, device)) {
      found = true;
      if (!target || !isCode(place, code, isa::withWaveSize(*target, place.waveSize)))
        continue;
      auto table = LineTable::read(place.object->elf);
      if (table)
        return KernelLines(std::move(*table), place.entry);
      note = "no source lines: " + table.error().message;
      return std::nullopt;
    }
  if (files_.empty())
    note.clear();
  else if (found)
    note = "no source lines: the code that ran is not that of the file" +
           std::string(replaced ? " (libmeld had replaced it)" : "");
  else
    note = "no source lines: no such kernel in the file";
  return std::nullopt;
}

std::string fileName(const std::string &path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

} // namespace meld::softgpu
