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

const char *encodingName(Enc enc) {
  static constexpr const char *all[] = {
#define ENCODING(name, ...) #name,
#include "runtime/softgpu/isa/encodings.def"
#undef ENCODING
  };
  return all[unsigned(enc)];
}

struct Verdict {
  bool executes = false;
  std::string reason;
};

Verdict judge(const isa::OpInfo &row, isa::Target target, std::mt19937_64 &rng) {
  constexpr int kTries = 4000;
  const unsigned generation = isa::traitsOf(target).generation;
  const uint32_t end = generation >= 11 ? 0xbfb00000 : 0xbf810000; // s_endpgm
  Verdict v;
  v.reason = "recognised only";
  const isa::Format format = isa::formatOf(row.enc, target);
  // A scalar address that is none: null from GFX10 on.
  const uint32_t off = generation >= 11 ? 0x7c0000 : generation == 10 ? 0x7d0000 : 0x7f0000;
  // Of VOPD's operations some can only be the second one, whose number has five bits elsewhere.
  constexpr unsigned kSecondPlace = 17, kFirstNumbers = 16;
  const bool second = row.enc == Enc::VOPD && row.number >= kFirstNumbers;
  const bool scaled = row.enc == Enc::VOP3PX; // the number is that of the VOP3P behind the scales
  const uint32_t number = scaled ? 0 : row.number << (second ? kSecondPlace : format.place);
  const uint32_t operands = format.operands & ~(second ? 31u << kSecondPlace : 0);
  for (int n = 0; n < kTries; ++n) {
    uint32_t words[5] = {format.fixed | number, 0, end, end, end};
    const uint64_t a = rng(), b = rng(), how = rng();
    words[0] |= uint32_t(a) & operands & (how & 1 ? uint32_t(a >> 32) : ~0u) &
                (how & 2 ? 0xffff81ffu : ~0u);
    words[1] = uint32_t(b) & (how & 4 ? 0x07fbffffu : ~0u);
    for (unsigned byte = 0; byte < 4; ++byte)
      if (how >> (8 + byte) & 1)
        words[1] &= ~(0xffu << (8 * byte));
    if (row.enc == Enc::GLOBAL || row.enc == Enc::SCRATCH ||
        (row.enc == Enc::FLAT && generation >= 10)) {
      if (generation >= 12) { // which has three dwords, the last of them zero for cache control
        words[0] = (words[0] & ~0x7fu) | off >> 16;
        words[2] = how & 32 ? 0 : uint32_t(b >> 32);
      } else
        words[1] = (words[1] & ~0x7f0000u) | off;
    }
    if (n == 0 && row.enc == Enc::SOPP)
      words[0] |= operands; // the workgroup's own barrier is -1
    if (scaled) {
      constexpr uint32_t kUsesScales = 0x800, kModifiers = 0x87ff;
      words[2] = isa::formatOf(Enc::VOP3P, target).fixed | row.number << format.place |
                 kUsesScales | (uint32_t(a >> 16) & kModifiers & uint32_t(how >> 32));
      words[3] = uint32_t(b >> 32) & (how & 32 ? 0x07fbffffu : ~0u);
    }
    isa::Inst inst;
    const auto status = isa::decode(words, scaled ? 16 : 12, target, inst);
    if ((status != isa::DecodeStatus::ok && status != isa::DecodeStatus::unsupported) ||
        (second ? inst.dual.op : inst.op) != row.op || inst.enc != row.enc)
      continue;
    if (inst.size == 4)
      words[1] = end;
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

const char *whyRecognisedOnly(Enc enc) {
  switch (isa::familyOf(enc)) {
  case isa::Family::image:
    return "images need a texture unit";
  case isa::Family::exports:
  case isa::Family::interpolation:
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
    const char *why = whyRecognisedOnly(row.enc);
    const Verdict v = why ? Verdict{false, why} : judge(row, target, rng);
    if (v.executes) {
      ++count.executes;
      executed.insert(row.op);
    } else {
      missing[v.reason].insert(isa::mnemonic(row.op, target));
    }
  }
  const unsigned lanes = isa::traitsOf(target).waveSize;
  const bool several = isa::withWaveSize(target, 96 - lanes) != target; // 32 and 64
  const std::string waves = several ? ", waves of " + std::to_string(lanes) + " lanes" : "";
  char line[160];
  std::snprintf(line, sizeof(line), "%s: %zu of %zu opcodes execute\n",
                (std::string(isa::targetName(target)) + waves).c_str(), executed.size(),
                defined.size());
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
        runs = runs || isa::mnemonic(op, target) == name;
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
    for (isa::Target each : isa::kTargets) // of each wave size
      if (isa::targetName(each) == isa::targetName(*t))
        addTarget(out, each, listMissing);
    return out;
  }
  for (isa::Target t : isa::kTargets)
    addTarget(out, t, listMissing);
  return out;
}

} // namespace meld::softgpu
