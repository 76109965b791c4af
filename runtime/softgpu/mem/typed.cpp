// Typed buffer accesses: buffer_{load,store}_format_* (format and component selection from the
// resource) and tbuffer_{load,store}_format_* (format from the instruction).
//
// What: one texel per lane, converted by formats.h; x, xy, xyz, xyzw say how many components move.
// The d16 forms keep 16 bits per component, two to a register; d16_hi_x uses the upper half. Range:
// a texel is accessed whole or not at all. Lanes out of range read 0 (1 where dst_sel says "one").
#include "runtime/softgpu/execute/dispatch.h"
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/mem/formats.h"
#include "runtime/softgpu/mem/resource.h"
#include "runtime/softgpu/mem/vmem.h"

namespace meld::softgpu::mem {
namespace {

/// What the mnemonic says; kept in ExecInst::aux.
struct Form {
  uint8_t components = 0;
  bool store = false, d16 = false, high = false, typed = false;
};
static_assert(sizeof(Form) <= sizeof(uint64_t));

Form formOf(const ExecInst *i) {
  Form f;
  std::memcpy(static_cast<void *>(&f), &i->aux, sizeof(f));
  return f;
}

/// What a component of 16 bits in a register is made of. GFX11 truncates floats of 32 bits and rounds what
/// it has made from other formats ("RDNA3" ISA, 9.3.1).
enum class Halves : uint8_t { integers, rounded, truncated };

/// The register half-words or words of one lane.
void toRegisters(const Form &f, Halves halves, const uint32_t value[4], VRow *rows, unsigned lane) {
  for (unsigned k = 0; k < f.components; ++k) {
    if (!f.d16) {
      rows[k].u[lane] = value[k];
      continue;
    }
    const uint32_t half = halves == Halves::integers    ? value[k] & 0xffff
                          : halves == Halves::truncated ? truncatedToHalf(value[k])
                                                        : floatToHalf(value[k]);
    const bool high = f.high || k % 2;
    uint32_t &r = rows[k / 2].u[lane];
    r = high ? (r & 0xffff) | half << 16 : (r & 0xffff0000) | half;
  }
}

void fromRegisters(const Form &f, unsigned nfmt, const VRow *rows, unsigned lane,
                   uint32_t value[4]) {
  for (unsigned k = 0; k < f.components; ++k) {
    if (!f.d16) {
      value[k] = rows[k].u[lane];
      continue;
    }
    const uint32_t half = rows[k / 2].u[lane] >> (f.high || k % 2 ? 16 : 0) & 0xffff;
    value[k] = nfmt == kSint   ? uint32_t(int32_t(int16_t(half)))
               : nfmt == kUint ? half
                               : halfToFloat(half);
  }
}

/// `dst` replaces the destination rows when not null.
const ExecInst *runTyped(const ExecInst *i, Wave &w, VRow *dst) {
  w.next = i;
  resetTrace(w);
  const isa::Inst &in = *i->inst;
  const Form f = formOf(i);
  const unsigned generation = generationOf(i);
  const BufferResource r(w, i->src[2], generation, scalarOffsetOf(i, w));
  isa::BufferFormat format{r.dfmt, r.nfmt};
  if (f.typed)
    format = generation >= 10 ? isa::bufferFormat(in.format, generation)
                              : isa::BufferFormat{in.dfmt, in.nfmt};
  const unsigned dfmt = format.data, nfmt = format.number;
  const TexelLayout &layout = texelLayout(dfmt);
  const bool integer = isIntegerFormat(nfmt);
  const uint32_t one = integer ? 1 : 0x3f800000;
  const bool single = nfmt == kFloat && layout.bits[0] == 32;
  const Halves halves = integer                      ? Halves::integers
                        : generation >= 11 && single ? Halves::truncated
                                                     : Halves::rounded;
  const uint64_t start = r.base + r.outer, exec = w.exec();
  const VRow *v = i->src[0] == kImmSlot ? nullptr : &w.v[i->src[0]];
  VRow *rows = f.store ? dataRows(i, w) : dst ? dst : dstRows(i, w);
  // Addresses first: the destination may overlap the address registers.
  alignas(64) uint64_t a[kWaveSize];
  uint32_t offset[kWaveSize], index[kWaveSize];
  uint64_t inside = 0;
  for (uint64_t m = exec; m; m &= m - 1) {
    const unsigned l = firstLane(m);
    index[l] = (in.idxen ? v->u[l] : 0) + (r.addTid ? l : 0);
    offset[l] = (in.offen ? v[in.idxen ? 1 : 0].u[l] : 0) + uint32_t(in.offset);
    const uint64_t at = r.bufferOffset(index[l], offset[l]);
    const bool ok = layout.bytes && r.inRange(in.idxen, index[l], offset[l], layout.bytes);
    inside |= uint64_t(ok) << l;
    a[l] = start + at;
  }
  if (w.mapper && !translate(i, w, a, inside, layout.bytes, f.store, r.span(layout.bytes)))
      [[unlikely]]
    return nullptr;
  if (layout.bytes)
    addSwizzled(w, a, inside, layout.bytes, r.dwordStride());
  for (uint64_t m = exec; m; m &= m - 1) {
    const unsigned l = firstLane(m);
    const bool ok = inside >> l & 1;
    const uint64_t first = r.bufferOffset(index[l], offset[l]);
    auto byteAt = [&](unsigned k) {
      return host(a[l] + r.bufferOffset(index[l], uint64_t(offset[l]) + k) - first);
    };
    uint8_t bytes[16] = {};
    uint32_t texel[4] = {}, value[4] = {};
    if (f.store) {
      if (!ok)
        continue;
      fromRegisters(f, nfmt, rows, l, value);
      for (unsigned k = 0; k < f.components; ++k) {
        const unsigned to = f.typed ? k : r.dstSel[k] - 4u; // 4..7 select a component
        if (to < 4)
          texel[to] = value[k];
      }
      encodeTexel(bytes, dfmt, nfmt, texel);
      for (unsigned k = 0; k < layout.bytes; ++k)
        *byteAt(k) = bytes[k];
      continue;
    }
    if (ok) {
      for (unsigned k = 0; k < layout.bytes; ++k)
        bytes[k] = *byteAt(k);
      decodeTexel(bytes, dfmt, nfmt, texel);
    }
    for (unsigned k = 0; k < 4; ++k)
      value[k] = f.typed            ? texel[k]
                 : r.dstSel[k] >= 4 ? texel[r.dstSel[k] - 4]
                 : r.dstSel[k] == 1 ? one
                                    : 0;
    toRegisters(f, halves, value, rows, l);
  }
  return following(i);
}

const ExecInst *typedOps(const ExecInst *i, Wave &w) { return runTyped(i, w, nullptr); }

const ExecInst *typedToLds(const ExecInst *i, Wave &w) {
  LdsRows value = {};
  return runTyped(i, w, value.data()) ? storeToLds(i, w, value) : nullptr;
}

} // namespace

bool prepareTyped(ExecInst &e) {
  const isa::Inst &in = *e.inst;
  std::string_view name = isa::mnemonic(in.op);
  auto drop = [&](std::string_view prefix) {
    const bool has = name.starts_with(prefix);
    if (has)
      name.remove_prefix(prefix.size());
    return has;
  };
  Form f;
  f.typed = drop("tbuffer_");
  if (!f.typed && !drop("buffer_"))
    return false;
  f.store = drop("store_format_");
  // To LDS goes one component of 32 bits; GFX11's opcode says so, before that a bit ("CDNA4" ISA, 9.1.9).
  const bool ldsByName = !f.store && drop("load_lds_format_"), toLds = ldsByName || in.lds;
  if (!f.store && !ldsByName && !drop("load_format_"))
    return false;
  f.d16 = drop("d16_");
  f.high = f.d16 && drop("hi_");
  if (name != std::string_view("xyzw").substr(0, name.size()) || name.empty() || in.tfe ||
      (toLds && (f.store || f.typed || f.d16 || name != "x")))
    return false;
  f.components = uint8_t(name.size());
  fillDataRows(e);
  e.aux = 0;
  std::memcpy(&e.aux, &f, sizeof(f));
  e.run = toLds ? typedToLds : typedOps;
  return true;
}

} // namespace meld::softgpu::mem
