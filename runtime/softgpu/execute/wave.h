// Architectural state of one wave, and the form instructions take when they are about to be executed.
//
// This is the contract between the three parts of the executor: the core (code cache, scheduling, scalar
// instructions), the vector ALU and the memory instructions.
//
// An isa::Inst is *prepared* once into a 64-byte ExecInst: a handler plus pre-resolved operand slots. A wave
// runs by calling `i = i->run(i, wave)` until a handler returns nullptr (wave.status says why).
//
// Thread rule: a Wave is touched only by the host thread that runs its workgroup.
#pragma once

#include "runtime/softgpu/isa/decoder.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>

namespace meld::softgpu {

inline constexpr unsigned kWaveSize = 64;
inline constexpr uint64_t kFullExec = ~0ull;

/// The EXEC of a wave of 32 whose lanes all run.
inline constexpr uint64_t kLowExec = 0xffffffff;

/// One vector register: a dword for each lane. 64-bit values use two consecutive rows (low, high). Rows of
/// a wave of 32 are as wide, their upper halves unused.
struct alignas(64) VRow {
  uint32_t u[kWaveSize];
};

struct Wave;
struct ExecInst;
namespace translate {
struct UnitEntry;
}

/// Executes one instruction; returns the next one, or nullptr after setting Wave::status (and Wave::next to
/// where the wave goes on, where it can).
using Handler = const ExecInst *(*)(const ExecInst *, Wave &);

struct alignas(64) ExecInst {
  Handler run;           ///< hot
  const isa::Inst *inst; ///< the full decode, for modifiers and messages
  /// Immediate per source (32-bit operands in the low half). Branches: imm[2] is unused, see `target`.
  union {
    uint64_t imm[3];
    struct {
      const ExecInst *target; ///< branch target, resolved lazily by the core
      uint64_t targetPc;
      uint64_t aux; ///< free for the part that prepared the instruction
    };
  };
  uint16_t dst;      ///< VGPR row (AGPRs follow at Wave::accOffset) or SGPR slot
  uint16_t sdst;     ///< SGPR slot of the second destination / VCC
  uint16_t src[3];   ///< VGPR row or SGPR slot; kImmSlot when imm[k] holds the value
  uint8_t category;  ///< isa::Category
  uint8_t flags;     ///< see below
  uint32_t pcOffset; ///< byte offset from the code cache's base address
  const translate::UnitEntry
      *translated; ///< translated code that starts here (atomic access), see translated.h
};
static_assert(sizeof(ExecInst) == 64);

/// What s_memtime and s_memrealtime count: both run at 1 GHz from the host's raw monotonic clock, the
/// frequency that the driver reports.
inline uint64_t nanoseconds() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return uint64_t(t.tv_sec) * 1'000'000'000 + uint64_t(t.tv_nsec);
}

/// The two instructions that one of encoding VOPD is; its ExecInst::aux points to them.
struct ExecHalves {
  isa::Inst inst[2]; ///< X, Y
  ExecInst exec[3];  ///< theirs, and what follows Y
  /// Which of them runs first, so that neither reads what the other wrote; -1: each reads what the
  /// other writes.
  int first = 0;
};
inline const ExecHalves &halvesOf(const ExecInst *i) {
  return *reinterpret_cast<const ExecHalves *>(i->aux);
}

inline constexpr uint16_t kImmSlot = 0xffff;
enum ExecFlags : uint8_t {
  srcVgpr0 = 1,
  srcVgpr1 = 2,
  srcVgpr2 = 4,
  hasModifiers = 8,
  chains = 0x10, ///< its handler may go on behind it (chain.h): no other instruction has this bit
};

enum class WaveStatus : uint8_t {
  ready,   ///< can run
  barrier, ///< waits at s_barrier
  yielded, ///< quantum used up or s_sleep: run others first
  ended,   ///< s_endpgm
  faulted, ///< see Wave::fault
};

enum class FaultKind : uint8_t {
  none,
  illegalInstruction,
  memory,
  aperture,
  trap,
  codeObject,
  cancelled,
};

struct Fault {
  FaultKind kind = FaultKind::none;
  uint64_t pc = 0;      ///< absolute address of the instruction
  uint64_t address = 0; ///< memory faults: the address touched
  int lane = -1;        ///< first offending lane, -1 for scalar accesses
  bool write = false;
  const char *what = ""; ///< static text: what was wrong
};

/// What the last memory instruction cost; read by counters and the timing model after each instruction.
struct MemoryTrace {
  uint32_t cacheLines = 0;       ///< distinct lines of 2^Wave::lineShift bytes touched
  uint32_t ldsBankConflicts = 0; ///< extra LDS cycles
  uint32_t numLines = 0;         ///< valid entries in `lines` (timing mode only)
  uint64_t lines[kWaveSize * 4]; ///< line addresses, first-touch order (timing mode only)
};

/// Where a table has an entry of 64 bytes for lines: line k's is the (k & mask)-th. Without memory: nowhere.
struct TagMemory {
  const char *memory = nullptr;
  uint64_t mask = 0;
};

struct Workgroup;
struct AddressMapper;
class CodeCache;

/// MODE register bits (s_getreg/s_setreg layout).
namespace Mode {
enum : uint32_t {
  roundF32 = 0x3,       // 0 nearest even, 1 +inf, 2 -inf, 3 zero
  roundF64 = 0x3 << 2,  // and f16
  denormF32 = 0x3 << 4, // bit 0: allow input denormals, bit 1: allow output denormals
  denormF64 = 0x3 << 6, // and f16
  dx10Clamp = 1 << 8,
  ieee = 1 << 9,
  fp16Ovfl = 1 << 23, ///< results too large for 16 or 8 bits of float are the largest number
  gprIdxEn = 1 << 27,
};
}

struct Wave {
  // --- hot ---
  VRow *v = nullptr; ///< numVgprs rows, then numAgprs rows at accOffset
  alignas(16) uint32_t s[isa::Sgpr::slots] = {};
  uint32_t scc = 0;  ///< 0 or 1
  uint32_t mode = 0; ///< MODE; write through setMode() so that derived state follows
  /// 64 or 32 lanes. In a wave of 32 the upper half of EXEC stays 0, whatever is written there, so that
  /// nothing else needs to know which lanes exist; lane masks in SGPRs are one dword.
  uint32_t waveSize = kWaveSize;
  /// Flag of the instructions that a handler goes on to by itself (chain.h): none, but in runWave().
  uint8_t chained = 0;
  int32_t quantum = 0;    ///< decremented by taken backward branches; the core yields at 0
  uint8_t *lds = nullptr; ///< the workgroup's LDS
  uint32_t ldsSize = 0;   ///< bytes; reads past it give 0, writes are dropped
  uint32_t numVgprs = 0, accOffset = 0, numAgprs = 0;
  bool timing = false;   ///< memory handlers fill MemoryTrace::lines
  uint8_t lineShift = 6; ///< cache lines of 2^lineShift bytes: 64, on GFX10 128
  TagMemory tags;        ///< what the timing model reads next, fetched ahead

  // --- warm ---
  const ExecInst *next = nullptr; ///< where to go on when run again
  WaveStatus status = WaveStatus::ready;
  Workgroup *group = nullptr;
  uint32_t waveInGroup = 0;
  uint8_t *scratch =
      nullptr; ///< host address of this wave's scratch: lane-interleaved by dword, see core
  uint32_t scratchPerLane = 0; ///< bytes
  AddressMapper *mapper =
      nullptr;              ///< nullptr unless addresses need translating or checking (gpu.h)
  bool checkMemory = false; ///< checked mode: ask the mapper before every access; implies `mapper`
  /// 64-bit values of src_shared_base, src_shared_limit, src_private_base, src_private_limit
  /// (operands 235..238).
  uint64_t apertures[4] = {};
  CodeCache *code = nullptr; ///< core: finds branch targets
  uint32_t trapSts = 0;      ///< HW_REG_TRAPSTS
  /// What translated code, and fast handlers, find in MODE as a rule (translated.h).
  uint32_t usualMode = 0;
  bool signalled =
      false; ///< has arrived at the workgroup's barrier, which has not opened since (GFX12)
  /// HW_REG_FLAT_SCR_LO and _HI (GFX10, where no SGPRs have this place): what s_setreg wrote and
  /// s_getreg reads; on GFX11 where the wave's scratch is, from the start on. The memory
  /// instructions go by `scratch`, which is there.
  uint32_t flatScratch[2] = {};
  MemoryTrace trace;
  Fault fault;
  /// Instructions that counted themselves since runWave() began, and the active lanes of those of vector
  /// arithmetic (chain.h).
  uint64_t passed[unsigned(isa::Category::other) + 1] = {}, passedLanes = 0;

  /// SGPR pairs seen as one 64-bit value: may_alias, since the same bytes are read as s[].
  using Pair = uint64_t __attribute__((may_alias));
  Pair &exec() { return reinterpret_cast<Pair &>(s[isa::Sgpr::exec]); }
  Pair &vcc() { return reinterpret_cast<Pair &>(s[isa::Sgpr::vcc]); }
  uint64_t exec() const { return s64(isa::Sgpr::exec); }
  void setMode(uint32_t m) { mode = m; }
  uint32_t m0() const { return s[isa::Sgpr::m0]; }
  uint64_t s64(unsigned slot) const {
    uint64_t x;
    std::memcpy(&x, &s[slot], 8);
    return x;
  }
  void setS64(unsigned slot, uint64_t x) { std::memcpy(&s[slot], &x, 8); }
  /// The lane mask at SGPR `slot`. The SGPR behind that of a wave of 32 is another value.
  uint64_t mask(unsigned slot) const { return waveSize == kWaveSize ? s64(slot) : s[slot]; }
  void setMask(unsigned slot, uint64_t bits) {
    if (waveSize == kWaveSize)
      setS64(slot, bits);
    else
      s[slot] = uint32_t(bits);
  }

  /// Stops the wave with a fault at instruction `i`; a handler returns its result.
  const ExecInst *raise(const ExecInst *i, FaultKind kind, const char *what, uint64_t address = 0,
                        int lane = -1, bool write = false) {
    fault = Fault{kind, i->pcOffset, address,
                  lane, write,       what}; // the core turns pcOffset into an address
    status = WaveStatus::faulted;
    next = i;
    return nullptr;
  }
};

/// Fills `e` (handler, operand slots, flags) from e.inst. Each part owns the encodings named; false = this
/// instruction is not implemented (the core then installs a handler that raises illegalInstruction).
bool prepareValu(
    ExecInst &e,
    isa::Target target); ///< VOP1 VOP2 VOPC VOP3 VOP3P (all that write VGPRs/masks from VGPRs)
bool prepareScalarFloat(ExecInst &e); ///< scalar instructions with floats (GFX12), v_s_*
bool prepareMemory(ExecInst &e, isa::Target target); ///< SMEM DS FLAT GLOBAL SCRATCH MUBUF MTBUF
bool prepareScalar(ExecInst &e, isa::Target target); ///< SOP1 SOP2 SOPC SOPK SOPP

/// The next instruction in program order. ExecInsts of a block are contiguous; a block ends in a core-owned
/// entry that finds its successor, so `i + 1` is always valid.
inline const ExecInst *following(const ExecInst *i) { return i + 1; }

} // namespace meld::softgpu
