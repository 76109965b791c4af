// What: for each opcode of the decoder's table, words of its encoding are made until one decodes as
// that opcode, and the code cache is asked to prepare it, as it would be in a kernel. What the
// cache refuses is missing, with the cache's reason.
//
// The fields that decide validity (operands, modifiers, reserved bits) differ from opcode to
// opcode, so fields are drawn at random from a fixed seed, few bits first; an opcode for which no
// word decodes within the tries is one that the decoder only recognises (images, exports).
#include "runtime/softgpu/tools/coverage.h"

#include "runtime/softgpu/execute/code_cache.h"
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/isa/opcodes.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <random>
#include <set>

namespace meld::softgpu {

namespace {

using isa::Enc;

const char *encodingName(Enc e) {
  static constexpr const char *names[] = {
      "SOP1",  "SOP2",   "SOPC", "SOPK", "SOPP",   "SMEM",    "VOP1",  "VOP2",  "VOPC", "VOP3",
      "VOP3P", "VINTRP", "DS",   "FLAT", "GLOBAL", "SCRATCH", "MUBUF", "MTBUF", "MIMG", "EXP"};
  return names[unsigned(e)];
}

/// The fixed bits of an encoding with the opcode in place ("Vega" ISA, "Microcode formats").
uint32_t firstWord(Enc enc, uint32_t n) {
  switch (enc) {
  case Enc::SOP1:
    return 0xbe800000 | n << 8;
  case Enc::SOP2:
    return 0x80000000 | n << 23;
  case Enc::SOPC:
    return 0xbf000000 | n << 16;
  case Enc::SOPK:
    return 0xb0000000 | n << 23;
  case Enc::SOPP:
    return 0xbf800000 | n << 16;
  case Enc::SMEM:
    return 0xc0000000 | n << 18;
  case Enc::VOP1:
    return 0x7e000000 | n << 9;
  case Enc::VOP2:
    return n << 25;
  case Enc::VOPC:
    return 0x7c000000 | n << 17;
  case Enc::VOP3:
    return 0xd0000000 | n << 16;
  case Enc::VOP3P:
    return 0xd3800000 | n << 16;
  case Enc::VINTRP:
    return 0xd4000000 | n << 16;
  case Enc::DS:
    return 0xd8000000 | n << 17;
  case Enc::FLAT:
    return 0xdc000000 | n << 18;
  case Enc::SCRATCH:
    return 0xdc004000 | n << 18;
  case Enc::GLOBAL:
    return 0xdc008000 | n << 18;
  case Enc::MUBUF:
    return 0xe0000000 | n << 18;
  case Enc::MTBUF:
    return 0xe8000000 | n << 15;
  case Enc::MIMG:
    return 0xf0000000 | n << 18;
  case Enc::EXP:
    return 0xc4000000;
  }
  return 0;
}
/// Bits of the first word that are operands or modifiers, never the opcode.
uint32_t operandBits(Enc enc) {
  switch (enc) {
  case Enc::SOP1:
    return 0x007f00ff;
  case Enc::SOP2:
    return 0x007fffff;
  case Enc::SOPC:
  case Enc::SOPP:
    return 0x0000ffff;
  case Enc::SOPK:
    return 0x007fffff;
  case Enc::SMEM:
    return 0x0003ffff;
  case Enc::VOP1:
    return 0x01fe01ff;
  case Enc::VOP2:
  case Enc::VOPC:
    return enc == Enc::VOPC ? 0x0001ffff : 0x01ffffff;
  case Enc::VOP3:
  case Enc::VOP3P:
    return 0x0000ffff;
  case Enc::VINTRP:
    return 0x03fcffff;
  case Enc::DS:
    return 0x0201ffff;
  case Enc::FLAT:
  case Enc::SCRATCH:
  case Enc::GLOBAL:
    return 0x02033fff;
  case Enc::MUBUF:
    return 0x0203ffff;
  case Enc::MTBUF:
    return 0x03f87fff;
  case Enc::MIMG:
    return 0x0203ffff;
  case Enc::EXP:
    return 0x03ffffff;
  }
  return 0;
}

struct Verdict {
  bool executes = false;
  std::string reason;
};

Verdict judge(const isa::OpInfo &row, isa::Target target, std::mt19937_64 &rng) {
  constexpr int kTries = 4000;
  constexpr uint32_t kEnd = 0xbf810000; // s_endpgm
  Verdict v;
  v.reason = "recognised only";
  for (int n = 0; n < kTries; ++n) {
    uint32_t words[5] = {firstWord(row.enc, row.number), 0, kEnd, kEnd, kEnd};
    const uint64_t a = rng(), b = rng(), how = rng();
    words[0] |= uint32_t(a) & operandBits(row.enc) & (how & 1 ? uint32_t(a >> 32) : ~0u) &
                (how & 2 ? 0xffff81ffu : ~0u);
    words[1] = uint32_t(b) & (how & 4 ? 0x07fbffffu : ~0u);
    for (unsigned byte = 0; byte < 4; ++byte)
      if (how >> (8 + byte) & 1)
        words[1] &= ~(0xffu << (8 * byte));
    if (row.enc == Enc::GLOBAL || row.enc == Enc::SCRATCH)
      words[1] |= 0x7f0000;
    isa::Inst inst;
    const auto status = isa::decode(words, 12, target, inst);
    if ((status != isa::DecodeStatus::ok && status != isa::DecodeStatus::unsupported) ||
        inst.op != row.op || inst.enc != row.enc)
      continue;
    if (inst.size == 4)
      words[1] = kEnd;
    CodeCache cache(target);
    const ExecInst *i = cache.lookup(reinterpret_cast<uint64_t>(words));
    const char *problem = reinterpret_cast<const CodeInst *>(i->inst)->problem;
    if (!problem)
      return {true, ""};
    v.reason = status == isa::DecodeStatus::unsupported ? "recognised only" : problem;
    if (status == isa::DecodeStatus::ok && n > kTries / 8)
      return v;
  }
  return v;
}

const char *family(Enc enc) {
  switch (enc) {
  case Enc::MIMG:
    return "images need a texture unit";
  case Enc::EXP:
  case Enc::VINTRP:
    return "graphics only";
  default:
    return nullptr;
  }
}

void addTarget(std::string &out, isa::Target target, bool listMissing) {
  struct Count {
    unsigned defined = 0, executes = 0;
  };
  std::map<Enc, Count> perEncoding;
  std::map<std::string, std::set<std::string_view>> missing; // by reason
  std::set<isa::Op> defined, executed;
  std::mt19937_64 rng(1);
  for (const isa::OpInfo &row : isa::allOpcodes()) {
    if (!(row.targets >> unsigned(target) & 1))
      continue;
    Count &count = perEncoding[row.enc];
    ++count.defined;
    defined.insert(row.op);
    const Verdict v = family(row.enc) ? Verdict{false, family(row.enc)} : judge(row, target, rng);
    if (v.executes) {
      ++count.executes;
      executed.insert(row.op);
    } else {
      missing[v.reason].insert(isa::mnemonic(row.op));
    }
  }
  char line[160];
  std::snprintf(line, sizeof(line), "%s: %zu of %zu opcodes execute\n",
                std::string(isa::targetName(target)).c_str(), executed.size(), defined.size());
  out += line;
  for (const auto &[enc, count] : perEncoding) {
    std::snprintf(line, sizeof(line), "  %-8s %4u of %4u encodings\n", encodingName(enc),
                  count.executes, count.defined);
    out += line;
  }
  for (const auto &[reason, names] : missing) {
    std::set<std::string_view> never; // in no encoding
    for (std::string_view name : names) {
      bool runs = false;
      for (isa::Op op : executed)
        runs = runs || isa::mnemonic(op) == name;
      if (!runs)
        never.insert(name);
    }
    if (never.empty())
      continue;
    std::snprintf(line, sizeof(line), "  missing: %zu: %s\n", never.size(), reason.c_str());
    out += line;
    if (listMissing)
      for (std::string_view name : never)
        out += "    " + std::string(name) + "\n";
  }
  out += "\n";
}

} // namespace

Result<std::string> coverageTable(const std::string &target, bool listMissing) {
  std::string out;
  if (!target.empty()) {
    const auto t = isa::targetFromName(target);
    if (!t)
      return fail(ErrorCode::notFound, "no processor " + target + " here");
    addTarget(out, *t, listMissing);
    return out;
  }
  for (isa::Target t :
       {isa::Target::gfx900, isa::Target::gfx906, isa::Target::gfx908, isa::Target::gfx90a})
    addTarget(out, t, listMissing);
  return out;
}

} // namespace meld::softgpu
