// Text of DS, FLAT, GLOBAL, SCRATCH, MUBUF and MTBUF.
#include "runtime/softgpu/isa/buffer_format.h"
#include "runtime/softgpu/isa/print_common.h"

#include <bit>

namespace meld::softgpu::isa {

namespace {

bool present(const Operand &o) { return o.kind != Operand::Kind::none; }

// ds_swizzle_b32: bit 15 set = quad permutation, else (and, or, xor) masks of the lane number.
// Common patterns have names.
void printSwizzle(Text &t, unsigned imm) {
  if (imm == 0)
    return;
  t << " offset:";
  if ((imm & 0xff00) == 0x8000) {
    t << "swizzle(QUAD_PERM";
    for (unsigned k = 0; k < 4; ++k)
      t << "," << int64_t(imm >> (2 * k) & 3);
    t << ")";
    return;
  }
  if (imm & 0x8000) {
    t << int64_t(imm);
    return;
  }
  unsigned andMask = imm & 31, orMask = imm >> 5 & 31, xorMask = imm >> 10 & 31;
  unsigned group = 32 - andMask;
  if (andMask == 31 && orMask == 0 && std::has_single_bit(xorMask)) {
    t << "swizzle(SWAP," << int64_t(xorMask) << ")";
  } else if (andMask == 31 && orMask == 0 && xorMask > 0 && std::has_single_bit(xorMask + 1)) {
    t << "swizzle(REVERSE," << int64_t(xorMask + 1) << ")";
  } else if (group > 1 && std::has_single_bit(group) && orMask < group && xorMask == 0) {
    t << "swizzle(BROADCAST," << int64_t(group) << "," << int64_t(orMask) << ")";
  } else {
    unsigned zeros = orMask ^ xorMask,
             ones = (andMask | orMask) ^ xorMask; // what lanes 0 and 31 map to
    t << "swizzle(BITMASK_PERM,\"";
    for (unsigned bit = 16; bit; bit >>= 1) {
      bool a = zeros & bit, b = ones & bit;
      t << (a == b ? (a ? "1" : "0") : (a ? "i" : "p"));
    }
    t << "\")";
  }
}

void printDs(Text &t, const Inst &inst, const OpInfo &row) {
  if (hasFlag(row, 'n'))
    return;
  for (const Operand *o : {&inst.dst, &inst.vaddr, &inst.vdata, &inst.vdata1})
    if (present(*o))
      printRegister(t.next(), *o);
  if (inst.op == Op::ds_swizzle_b32) {
    printSwizzle(t, unsigned(inst.offset));
  } else if (hasFlag(row, 'p')) {
    if (inst.offset)
      t << " offset0:" << inst.offset;
    if (inst.offset1)
      t << " offset1:" << inst.offset1;
  } else if (inst.offset) {
    t << " offset:" << inst.offset;
  }
  t.flag(inst.gds, " gds");
}

} // namespace

void printPolicy(Text &t, const Inst &inst, const OpInfo &row) {
  static constexpr std::string_view kScopes[] = {"", " scope:SCOPE_SE", " scope:SCOPE_DEV",
                                                 " scope:SCOPE_SYS"};
  // By the hint. The third is another one where the scope is the whole system.
  static constexpr std::string_view kLoads[] = {"",      "NT",    "HT",    "LU",
                                                "NT_RT", "RT_NT", "NT_HT", ""};
  static constexpr std::string_view kStores[] = {"",      "NT",    "HT",    "RT_WB",
                                                 "NT_RT", "RT_NT", "NT_HT", "NT_WB"};
  constexpr unsigned kReturn = 1, kNonTemporal = 2, kCascade = 4, kDevice = 2, kSystem = 3;
  const bool atomic = hasFlag(row, 'r'),
             store = !atomic && row.src[0] != Ty::none && inst.enc != Enc::SMEM;
  if (inst.th && atomic) {
    t << " th:TH_ATOMIC_";
    if ((inst.th & kCascade) && inst.scope < kDevice)
      t.hex(inst.th);
    else if (inst.th & kCascade)
      t << (inst.th & kNonTemporal ? "CASCADE_NT" : "CASCADE_RT");
    else
      t.flag(inst.th & kNonTemporal, inst.th & kReturn ? "NT_" : "NT")
          .flag(inst.th & kReturn, "RETURN");
  } else if (inst.th) {
    const std::string_view name = (store ? kStores : kLoads)[inst.th];
    if (name.empty())
      (t << " th:").hex(inst.th);
    else
      t << (store ? " th:TH_STORE_" : " th:TH_LOAD_")
        << (inst.th == 3 && inst.scope == kSystem ? "BYPASS" : name);
  }
  t << kScopes[inst.scope];
}

namespace {

void printCache(Text &t, const Inst &inst, const OpInfo &row, Target target) {
  if (t.gfx12())
    return printPolicy(t, inst, row);
  const bool scopes = traitsOf(target).scopes;
  t.flag(inst.glc, scopes ? " sc0" : " glc").flag(inst.slc, scopes ? " nt" : " slc");
  t.flag(inst.scc, scopes ? " sc1" : " scc").flag(inst.dlc, " dlc");
}

void printFlat(Text &t, const Inst &inst, const OpInfo &row, Target target) {
  if (hasFlag(row, 'c')) // GFX12's cache control
    return printPolicy(t, inst, row);
  if (present(inst.dst))
    printRegister(t.next(), inst.dst);
  if (present(inst.vaddr))
    printRegister(t.next(), inst.vaddr);
  else if (!hasFlag(row, 'T'))
    t.next() << "off";
  if (present(inst.vdata))
    printRegister(t.next(), inst.vdata);
  if (inst.enc != Enc::FLAT) {
    if (present(inst.saddr))
      printRegister(t.next(), inst.saddr);
    else
      t.next() << "off";
  }
  if (inst.offset)
    t << " offset:" << inst.offset;
  printCache(t, inst, row, target);
  t.flag(inst.lds && !hasFlag(row, 'M'), " lds");
}

constexpr std::string_view kDataFormats[] = {
    "INVALID",     "8",        "16",          "8_8",        "32",      "16_16",
    "10_11_11",    "11_11_10", "10_10_10_2",  "2_10_10_10", "8_8_8_8", "32_32",
    "16_16_16_16", "32_32_32", "32_32_32_32", "RESERVED_15"};
constexpr std::string_view kNumberFormats[] = {"UNORM", "SNORM", "USCALED",    "SSCALED",
                                               "UINT",  "SINT",  "RESERVED_6", "FLOAT"};

void printUnifiedFormat(Text &t, unsigned unified) {
  if (unified == 1) // the default
    return;
  const BufferFormat format = bufferFormat(unified, t.gfx11() ? 11 : 10);
  t << " format:";
  if (unified && !format.data) {
    t << int64_t(unified);
    return;
  }
  t << "[BUF_FMT_" << kDataFormats[format.data];
  if (format.data)
    t << "_" << kNumberFormats[format.number];
  t << "]";
}

void printFormat(Text &t, const Inst &inst) {
  bool data = inst.dfmt != 1, num = inst.nfmt != 0; // 8-bit unorm is the default
  if (!data && !num)
    return;
  t << " format:[";
  if (data)
    t << "BUF_DATA_FORMAT_" << kDataFormats[inst.dfmt & 15];
  t.flag(data && num, ",");
  if (num)
    t << "BUF_NUM_FORMAT_" << kNumberFormats[inst.nfmt & 7];
  t << "]";
}

void printBuffer(Text &t, const Inst &inst, const OpInfo &row, Target target) {
  bool storeLds = hasFlag(row, 'L');
  if (!hasFlag(row, 'c')) {
    // Atomics: also what comes back.
    Operand data = present(inst.vdata) ? inst.vdata : inst.dst;
    if (t.gfx12() && inst.tfe)
      ++data.dwords;
    if (present(data))
      printRegister(t.next(), data);
    if (present(inst.vaddr))
      printRegister(t.next(), inst.vaddr);
    else if (!storeLds)
      t.next() << "off";
    printRegister(t.next(), inst.srsrc);
    printOperand(t.next(), inst.soffset, inst, ImmKind::i32);
    if (inst.enc == Enc::MTBUF && t.gfx10())
      printUnifiedFormat(t, inst.format);
    else if (inst.enc == Enc::MTBUF)
      printFormat(t, inst);
    t.flag(inst.idxen, " idxen").flag(inst.offen, " offen");
    if (inst.offset)
      t << " offset:" << inst.offset;
  }
  t.flag(storeLds, " lds");
  printCache(t, inst, row, target);
  t.flag(inst.tfe, " tfe").flag(inst.lds && !storeLds && !hasFlag(row, 'M'), " lds");
}

} // namespace

void printMemory(Text &t, const Inst &inst, const OpInfo &row, Target target) {
  switch (inst.enc) {
  case Enc::DS:
    return printDs(t, inst, row);
  case Enc::MUBUF:
  case Enc::MTBUF:
    return printBuffer(t, inst, row, target);
  default:
    return printFlat(t, inst, row, target);
  }
}

} // namespace meld::softgpu::isa
