#include "runtime/softgpu/tools/disassembly.h"

#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/tools/line_table.h"
#include "runtime/softgpu/tools/object_file.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace meld::softgpu {

namespace {

void printKernel(std::string &out, const KernelPlace &place, isa::Target target,
                 const LineTable *lines) {
  char text[64];
  std::snprintf(text, sizeof(text), " at 0x%" PRIx64 ", %" PRIu64 " bytes\n", place.entry,
                place.size);
  out += demangled(place.name) + "  " + std::string(isa::targetName(target)) + text;
  const SourceLine *last = nullptr;
  for (uint64_t offset = 0; offset < place.size;) {
    if (const SourceLine *line = lines ? lines->at(place.entry + offset) : nullptr;
        line && line != last) {
      out += "; " + line->file + ":" + std::to_string(line->line) + "\n";
      last = line;
    }
    const uint64_t left = std::min<uint64_t>(place.size - offset, 12);
    const auto bytes = place.object->elf.atAddress(place.entry + offset, left);
    isa::Inst inst;
    std::string line;
    if (!bytes)
      break;
    const auto status = isa::decode(bytes->data(), bytes->size(), target, inst);
    if (status == isa::DecodeStatus::ok || status == isa::DecodeStatus::unsupported) {
      line = isa::disassemble(inst, target, offset);
    } else {
      inst.size = 4;
      uint32_t word = 0;
      std::memcpy(&word, bytes->data(), std::min<size_t>(bytes->size(), 4));
      std::snprintf(text, sizeof(text), ".long 0x%08x", word);
      line = text;
    }
    std::ranges::replace(line, '\t', ' ');
    std::snprintf(text, sizeof(text), "  +0x%-6" PRIx64 " ", offset);
    out += text + line + "\n";
    offset += inst.size;
  }
  out += "\n";
}

} // namespace

Result<std::string> disassembly(const std::string &path, const std::string &kernel,
                                const std::string &processor) {
  auto file = MELD_TRY(ObjectFile::open(path));
  std::string out;
  for (const auto &object : file.objects()) {
    const auto target = isa::targetFromName(object->isa.processor);
    if (!processor.empty() && object->isa.processor != processor)
      continue;
    if (!target) {
      out += object->isa.processor + ": not a processor of the software GPU\n";
      continue;
    }
    const auto lines = LineTable::read(object->elf);
    for (const KernelPlace &place : ObjectFile::kernels(*object))
      if (place.name.find(kernel) != place.name.npos ||
          demangled(place.name).find(kernel) != std::string::npos)
        printKernel(out, place, isa::withWaveSize(*target, place.waveSize),
                    lines ? &*lines : nullptr);
  }
  for (const std::string &note : file.skipped())
    out += "left out: " + note + "\n";
  return out;
}

} // namespace meld::softgpu
