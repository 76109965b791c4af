#include "runtime/softgpu/watch/check/lds_access.h"

#include "runtime/softgpu/isa/decoder.h"

#include <bit>

namespace meld::softgpu::check {

using isa::Enc;

namespace {

unsigned bytesOf(std::string_view name) {
  name = name.substr(0, name.find("_tr_b")); // that of a transposed read's elements
  auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (has("128") || has("dwordx4"))
    return 16;
  if (has("b96") || has("dwordx3"))
    return 12;
  if (has("byte") || has("_b8") || has("_u8") || has("_i8"))
    return 1;
  if (has("short") || has("_b16") || has("_u16") || has("_i16"))
    return 2;
  if (has("64") && !(has("st64") && !has("_b64")))
    return 8;
  return has("_x2") || has("dwordx2") ? 8 : 4;
}

} // namespace

LdsShape LdsShape::of(const isa::Inst &in) {
  LdsShape s;
  const std::string_view name = isa::mnemonic(in.op);
  auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  s.bytes = uint8_t(bytesOf(name));
  s.offset[0] = uint16_t(in.offset);
  if (in.enc == Enc::FLAT) {
    s.action = has("_load_") ? Action::load : has("_store_") ? Action::store : Action::atomic;
    return s;
  }
  if (in.enc != Enc::DS || in.gds || has("permute") || has("swizzle") || has("gws") ||
      name == "ds_nop" || has("append") || has("consume") || has("ordered"))
    return s;
  s.action = has("_read") ? Action::load : has("_write") ? Action::store : Action::atomic;
  s.addtid = has("addtid");
  if (has("read2") || has("write2") || has("wrxchg2")) {
    const unsigned unit = s.bytes * (has("st64") ? 64 : 1);
    s.parts = 2;
    s.offset[0] = uint16_t(unsigned(in.offset) * unit);
    s.offset[1] = uint16_t(unsigned(in.offset1) * unit);
  }
  return s;
}

void listLdsAccesses(const LdsShape &shape, const ExecInst *i, const Wave &w,
                     std::vector<LdsAccess> &out) {
  out.clear();
  if (shape.action == LdsShape::Action::none)
    return;
  for (uint64_t m = w.exec(); m; m &= m - 1) {
    const unsigned lane = unsigned(std::countr_zero(m));
    uint32_t base;
    if (shape.addtid) {
      base = w.m0() + 4 * lane;
    } else {
      const VRow *row = &w.v[i->inst->vaddr.index];
      if (i->inst->enc == Enc::FLAT && row[1].u[lane] != uint32_t(w.apertures[0] >> 32))
        continue;
      base = row[0].u[lane];
    }
    for (unsigned p = 0; p < shape.parts; ++p) {
      const uint32_t at = base + shape.offset[p];
      if (uint64_t(at) + shape.bytes <= w.ldsSize)
        out.push_back({at, uint8_t(lane), uint8_t(p)});
    }
  }
}

} // namespace meld::softgpu::check
