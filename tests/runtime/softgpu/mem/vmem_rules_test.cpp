// Single rules of FLAT, GLOBAL and SCRATCH instructions: faults, checked and remapped addresses,
// loads to LDS, atomics' order, threads and special float values.
#include "runtime/softgpu/execute/dispatch.h"
#include "tests/runtime/softgpu/mem/vmem_fixture.h"

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <sys/mman.h>
#include <thread>

using namespace meld::softgpu;
using namespace meld::softgpu::test;

namespace {

sigjmp_buf faultJump;
uint64_t faultAddress;

/// A page and behind it one that nobody may touch; what touches it is left from the signal handler
/// as the executor does.
class Pages {
public:
  Pages()
      : first_(static_cast<uint8_t *>(
            mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    EXPECT_NE(first_, MAP_FAILED);
    EXPECT_EQ(mprotect(first_ + 4096, 4096, PROT_NONE), 0);
    struct sigaction action = {};
    action.sa_sigaction = [](int, siginfo_t *info, void *) {
      faultAddress = reinterpret_cast<uint64_t>(info->si_addr);
      siglongjmp(faultJump, 1);
    };
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, &before_);
  }
  ~Pages() {
    sigaction(SIGSEGV, &before_, nullptr);
    munmap(first_, 8192);
  }
  Pages(const Pages &) = delete;
  Pages &operator=(const Pages &) = delete;
  uint8_t *first() const { return first_; }
  uint64_t end() const { return reinterpret_cast<uint64_t>(first_) + 4096; } ///< of the page

private:
  uint8_t *const first_;
  struct sigaction before_ = {};
};

[[gnu::noinline]] bool faults(Machine &machine, const std::string &text, State &s) {
  if (sigsetjmp(faultJump, 1) == 0) {
    machine.run(text, s);
    return false;
  }
  return true;
}

} // namespace

TEST_F(Vmem, PrivateOutOfRangeFaults) {
  State s;
  s.setExec(0xf0);
  for (unsigned l = 0; l < kWaveSize; ++l)
    setAddress(s, 2, l, kPrivateAperture + (l == 6 ? kScratchPerLane - 3 : 0));
  auto out = machine.run("flat_load_dword v16, v[2:3]", s);
  EXPECT_EQ(out.status, WaveStatus::faulted);
  EXPECT_EQ(out.fault.kind, FaultKind::aperture);
  EXPECT_EQ(out.fault.lane, 6);
  EXPECT_FALSE(out.fault.write);
}

TEST_F(Vmem, MisalignedAtomicFaults) {
  State s;
  s.setExec(kFullExec);
  for (unsigned l = 0; l < kWaveSize; ++l)
    setAddress(s, 2, l, machine.memory() + 8 * l + (l >= 9 ? 4 : 0));
  auto out = machine.run("global_atomic_add_x2 v[2:3], v[8:9], off", s);
  EXPECT_EQ(out.fault.kind, FaultKind::memory);
  EXPECT_EQ(out.fault.lane, 9);
  EXPECT_EQ(out.fault.address, machine.memory() + 76);
  EXPECT_TRUE(out.fault.write);
}

TEST_F(Vmem, FaultingLaneIsFound) {
  State s;
  s.setExec(~1ull);
  const uint64_t page = machine.memory() + 4096, base = page - 16 * 5; // lane 5 begins a page
  for (unsigned l = 0; l < kWaveSize; ++l)
    setAddress(s, 2, l, base - 4 + 16 * l);
  machine.run("global_load_dwordx3 v[16:18], v[2:3], off offset:4", s);
  const ExecInst *i = machine.wave.next;
  EXPECT_EQ(faultingLane(i, machine.wave, base + 16 * 5 + 11), 5);
  EXPECT_EQ(faultingLane(i, machine.wave, base + 16 * 9), 5); // the page is lane 5's, too
  EXPECT_EQ(faultingLane(i, machine.wave, base + 16 * 3), 1);
  EXPECT_EQ(faultingLane(i, machine.wave, base + 16 * 5 + 12), -1);
  EXPECT_EQ(faultingLane(i, machine.wave, base), -1); // lane 0 is off
  EXPECT_FALSE(writesMemory(i));
}

TEST_F(Vmem, AWholeWaveOf32TouchesWhatItsLanesTouch) {
  const Pages pages; // up to the end of one
  for (unsigned n = 1; n <= 4; ++n)
    for (const bool store : {false, true}) {
      const std::string size = n == 1 ? "" : "x" + std::to_string(n);
      const std::string rows = n == 1 ? "v16" : "v[16:" + std::to_string(15 + n) + "]";
      const std::string text = store ? "global_store_dword" + size + " v[2:3], " + rows + ", off"
                                     : "global_load_dword" + size + " " + rows + ", v[2:3], off";
      State s;
      s.randomize(rng);
      s.setExec(kLowExec);
      for (unsigned l = 0; l < kWaveSize / 2; ++l)
        setAddress(s, 2, l, pages.end() - 4 * n * (kWaveSize / 2 - l));
      std::vector<uint8_t> page(4096);
      for (uint8_t &b : page)
        b = uint8_t(rng());
      std::memcpy(pages.first(), page.data(), 4096);
      State want = s;
      for (unsigned l = 0; l < kWaveSize / 2; ++l)
        for (unsigned k = 0; k < n; ++k) {
          uint8_t *at = &page[4096 - 4 * n * (kWaveSize / 2 - l) + 4 * k];
          store ? std::memcpy(at, &s.v[16 + k].u[l], 4) : std::memcpy(&want.v[16 + k].u[l], at, 4);
        }
      EXPECT_FALSE(faults(machine, text, s)) << text;
      EXPECT_EQ(difference(s, want), "") << text;
      EXPECT_EQ(std::memcmp(pages.first(), page.data(), 4096), 0) << text;
    }
}

TEST_F(Vmem, RealFaultsLeaveTheInstructionAndTheLane) {
  const Pages pages;
  struct Row {
    const char *text;
    unsigned stride;
    uint64_t exec;
    int lane;
    bool write;
  };
  for (const Row &r :
       {Row{"global_load_dword v2, v[2:3], off", 4, kFullExec, 20,
            false}, // what it loads are its addresses
        Row{"global_load_dword v2, v[2:3], off", 4, kLowExec, 20, false},
        Row{"global_load_dwordx2 v[2:3], v[2:3], off", 8, kLowExec, 20, false},
        Row{"global_load_dwordx4 v[16:19], v[2:3], off", 16, kFullExec, 40, false},
        Row{"global_load_dwordx4 v[2:5], v[2:3], off", 16, 0xff00ff00ff00ff00, 40, false},
        Row{"global_store_dword v[2:3], v8, off", 16, 0x0ffffe0000000000, 41, true},
        Row{"flat_load_ubyte v16, v[2:3]", 20, kFullExec, 32, false},
        Row{"global_atomic_add v[2:3], v8, off", 16, kFullExec, 40, true}}) {
    const unsigned before = r.stride < 16 ? 20 * r.stride : 40 * 16;
    const uint64_t base = pages.end() - before;
    State s;
    s.setExec(r.exec);
    for (unsigned l = 0; l < kWaveSize; ++l)
      setAddress(s, 2, l, base + l * r.stride);
    faultAddress = 0;
    const std::string text = r.text; // here, where the jump does not pass over its end
    if (sigsetjmp(faultJump, 1) == 0) {
      machine.run(text, s);
      ADD_FAILURE() << "no fault: " << r.text;
      continue;
    }
    EXPECT_GE(faultAddress, pages.end()) << r.text;
    ASSERT_NE(machine.wave.next, nullptr);
    EXPECT_EQ(faultingLane(machine.wave.next, machine.wave, faultAddress), r.lane) << r.text;
    EXPECT_EQ(writesMemory(machine.wave.next), r.write) << r.text;
  }
  // Non-canonical: the signal does not carry the address.
  State s;
  s.setExec(2);
  setAddress(s, 2, 1, 0x1234567812345678);
  const std::string text = "global_load_dword v16, v[2:3], off";
  if (sigsetjmp(faultJump, 1) == 0) {
    machine.run(text, s);
    ADD_FAILURE() << "no fault";
  } else {
    EXPECT_EQ(faultingLane(machine.wave.next, machine.wave, faultAddress), 1);
    EXPECT_EQ(laneAddress(machine.wave.next, machine.wave, 1), 0x1234567812345678u);
  }
}

TEST_F(Vmem, MappedAndCheckedAddresses) {
  // Device addresses 1 TiB above the host's, of which a block of 4096 bytes is known.
  struct Shifted : AddressMapper {
    uint64_t first = 0;
    const uint64_t shift = 1ull << 40;
    bool empty() const override { return false; }
    uint64_t toHost(uint64_t a) const override { return a - first - shift < 4096 ? a - shift : a; }
    bool mapped(uint64_t a, uint64_t size) const override {
      return a - first - shift < 4096 && a - first - shift + size <= 4096;
    }
  } mapper;
  mapper.first = machine.memory();
  machine.wave.mapper = &mapper;
  State s;
  s.randomize(rng);
  s.setExec(kFullExec);
  const uint64_t device = machine.memory() + mapper.shift;
  for (bool checked : {false, true}) {
    machine.wave.checkMemory = checked;
    for (unsigned l = 0; l < kWaveSize; ++l)
      setAddress(s, 2, l, device + 4 * l);
    auto byteAt = [](State &x, unsigned l, unsigned k) { return &x.memory[4 * l + k]; };
    check({"load_dword", "global_load_dword v16, v[2:3], off", 16, 0}, s, byteAt);
    check({"store_dword", "flat_store_dword v[2:3], v8", 0, 8}, s, byteAt);
    check({"atomic_add", "global_atomic_add v16, v[2:3], v8, off glc", 16, 8, true}, s, byteAt);
    s.setPair(4, device);
    State want = s;
    std::memcpy(&want.s[32], &s.memory[16], 8);
    machine.run("s_load_dwordx2 s[32:33], s[4:5], 0x10", s);
    EXPECT_EQ(difference(s, want), "");
    s.setPair(8, device);
    s.s[10] = 4096;
    s.s[11] = 0;
    for (unsigned l = 0; l < kWaveSize; ++l) {
      std::memcpy(&want.v[16].u[l], &s.memory[4 * l], 4);
      s.v[20].u[l] = want.v[20].u[l] = 4 * l;
    }
    std::memcpy(want.s, s.s, sizeof(s.s));
    machine.run("buffer_load_dword v16, v20, s[8:11], 0 offen", s);
    EXPECT_EQ(difference(s, want), "");
  }
  setAddress(s, 2, 17, device + 4095);
  auto out = machine.run("global_store_dword v[2:3], v8, off", s);
  EXPECT_EQ(out.fault.kind, FaultKind::memory);
  EXPECT_EQ(out.fault.lane, 17);
  EXPECT_EQ(out.fault.address, device + 4095);
  EXPECT_TRUE(out.fault.write);
  s.setPair(4, device + 4096);
  out = machine.run("s_load_dword s32, s[4:5], 0x0", s);
  EXPECT_EQ(out.fault.kind, FaultKind::memory);
  EXPECT_EQ(out.fault.lane, -1);
  machine.wave.mapper = nullptr;
  machine.wave.checkMemory = false;
}

TEST_F(Vmem, GlobalLoadToLds) {
  State s;
  for (const char *text :
       {"global_load_dword v[2:3], off offset:4 lds", "global_load_dword v4, s[4:5] offset:4 lds"})
    for (uint64_t exec : execPatterns(rng)) {
      s.randomize(rng);
      s.setExec(exec);
      s.s[isa::Sgpr::m0] = 0x80;
      s.setPair(4, machine.memory());
      for (unsigned l = 0; l < kWaveSize; ++l) {
        setAddress(s, 2, l, machine.memory() + 12 * l);
        s.v[4].u[l] = 12 * l;
      }
      State want = s;
      for (unsigned l = 0; l < kWaveSize; ++l)
        if (exec >> l & 1)
          std::memcpy(&want.lds[0x84 + 4 * l], &s.memory[12 * l + 4], 4);
      ASSERT_TRUE(machine.run(text, s).prepared);
      ASSERT_EQ(difference(s, want), "") << text;
    }
}

TEST_F(Vmem, SameAddressAtomicsAreSerialised) {
  State s;
  s.randomize(rng);
  for (uint64_t exec : execPatterns(rng)) {
    for (unsigned l = 0; l < kWaveSize; ++l) {
      setAddress(s, 2, l, machine.memory() + 64);
      s.v[8].u[l] = l + 1;
    }
    s.setExec(exec);
    std::memset(&s.memory[64], 0, 4);
    machine.run("global_atomic_add v16, v[2:3], v8, off glc", s);
    uint32_t sum = 0;
    for (unsigned l = 0; l < kWaveSize; ++l)
      if (exec >> l & 1) {
        EXPECT_EQ(s.v[16].u[l], sum);
        sum += l + 1;
      }
    uint32_t memory;
    std::memcpy(&memory, &s.memory[64], 4);
    EXPECT_EQ(memory, sum);
  }
}

TEST_F(Vmem, AtomicsOfSeveralThreadsAddUp) {
  // Waves of different host threads update the same words, from all lanes of a wave or one word per
  // lane.
  struct Row {
    const char *text;
    bool oneWord, f32;
  };
  for (const Row &r : {Row{"global_atomic_add v[2:3], v8, off", true, false},
                       Row{"global_atomic_add v16, v[2:3], v8, off glc", false, false},
                       Row{"global_atomic_add_f32 v[2:3], v8, off", true, true},
                       Row{"global_atomic_add_f32 v[2:3], v8, off", false, true},
                       Row{"flat_atomic_sub v[2:3], v9", false, false}}) {
    const auto bytes = assemble(r.text, "gfx90a");
    isa::Inst inst;
    ASSERT_EQ(isa::decode(bytes.data(), bytes.size(), isa::Target::gfx90a, inst),
              isa::DecodeStatus::ok);
    ExecInst code[2];
    std::memset(static_cast<void *>(code), 0, sizeof(code));
    code[0].inst = &inst;
    ASSERT_TRUE(prepareMemory(code[0], isa::Target::gfx90a));
    alignas(64) static uint32_t words[kWaveSize];
    std::memset(words, 0, sizeof(words));
    constexpr unsigned kThreads = 3, kRounds = 2000;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < kThreads; ++t)
      threads.emplace_back([&] {
        std::vector<VRow> rows(32);
        Wave w;
        w.v = rows.data();
        w.exec() = kFullExec;
        for (unsigned l = 0; l < kWaveSize; ++l) {
          const uint64_t a = reinterpret_cast<uint64_t>(&words[r.oneWord ? 7 : l]);
          rows[2].u[l] = uint32_t(a);
          rows[3].u[l] = uint32_t(a >> 32);
          rows[8].u[l] = r.f32 ? 0x3f800000 : 1;
          rows[9].u[l] = uint32_t(-1);
        }
        for (unsigned k = 0; k < kRounds; ++k)
          code[0].run(&code[0], w);
      });
    for (std::thread &t : threads)
      t.join();
    for (unsigned l = 0; l < kWaveSize; ++l) {
      const uint32_t count = kThreads * kRounds * (r.oneWord ? (l == 7 ? kWaveSize : 0) : 1);
      const float f = float(count);
      uint32_t want = count;
      if (r.f32)
        std::memcpy(&want, &f, 4);
      EXPECT_EQ(words[l], want) << r.text << " word " << l;
    }
  }
}

// Eight aligned bytes of a lane's twelve, stored again and again by one thread and loaded by
// another: whole waves whose lanes lie side by side, where every second lane's are aligned.
TEST_F(Vmem, ThreeDwordsAreNotTakenApart) {
  alignas(64) static uint32_t words[3 * kWaveSize + 1];
  constexpr unsigned kLane = 5, kRounds = 200000;
  uint64_t *const pair = reinterpret_cast<uint64_t *>(words + 1 + 3 * kLane);
  ASSERT_EQ(reinterpret_cast<uint64_t>(pair) % 8, 0u);
  const auto isTorn = [](uint64_t x) { return uint32_t(x) != uint32_t(x >> 32); };
  for (const bool store : {false, true})
    for (const uint64_t exec : {kFullExec, kLowExec}) {
      const auto bytes = assemble(store ? "global_store_dwordx3 v[2:3], v[16:18], off"
                                        : "global_load_dwordx3 v[16:18], v[2:3], off",
                                  "gfx90a");
      isa::Inst inst;
      ASSERT_EQ(isa::decode(bytes.data(), bytes.size(), isa::Target::gfx90a, inst),
                isa::DecodeStatus::ok);
      ExecInst code[2];
      std::memset(static_cast<void *>(code), 0, sizeof(code));
      code[0].inst = &inst;
      ASSERT_TRUE(prepareMemory(code[0], isa::Target::gfx90a));
      std::memset(words, 0, sizeof(words));
      std::vector<VRow> rows(32);
      Wave w;
      w.v = rows.data();
      w.exec() = exec;
      for (unsigned l = 0; l < kWaveSize; ++l) {
        const uint64_t a = reinterpret_cast<uint64_t>(words + 1 + 3 * l);
        rows[2].u[l] = uint32_t(a);
        rows[3].u[l] = uint32_t(a >> 32);
      }
      std::atomic<bool> stop{false};
      uint64_t torn = 0; // of the other thread, until it has ended
      std::thread other([&] {
        for (uint64_t i = 1; !stop; ++i)
          if (store)
            torn += isTorn(__atomic_load_n(pair, __ATOMIC_RELAXED));
          else
            __atomic_store_n(pair, (i & 0xffffffff) << 32 | (i & 0xffffffff), __ATOMIC_RELAXED);
      });
      unsigned tornHere = 0;
      for (unsigned k = 1; k <= kRounds; ++k) {
        for (unsigned d = 16; store && d < 19; ++d)
          std::fill(std::begin(rows[d].u), std::end(rows[d].u), k);
        code[0].run(&code[0], w);
        tornHere += !store && rows[16].u[kLane] != rows[17].u[kLane];
      }
      stop = true;
      other.join();
      EXPECT_EQ(torn + tornHere, 0u) << (store ? "store" : "load");
    }
}

TEST_F(Vmem, FloatAtomicsSpecialValues) {
  // Memory f32 adds flush denormals; NaNs are quieted, invalid gives the positive default NaN;
  // minNum/maxNum.
  struct Row {
    const char *op;
    uint64_t memory, data, want;
  };
  const Row rows[] = {
      {"add_f32", 0x00000001, 0x00000002, 0x00000000},
      {"add_f32", 0x80000001, 0x80000000, 0x80000000},
      {"add_f32", 0x7f800000, 0xff800000, 0x7fc00000},
      {"add_f32", 0x7f800001, 0x3f800000, 0x7fc00001},
      {"add_f32", 0x3f800000, 0xffc12345, 0xffc12345},
      {"add_f64", 0x0000000000000001, 0x0000000000000002, 0x0000000000000003},
      {"add_f64", 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000},
      {"min_f64", 0x8000000000000000, 0x0000000000000000, 0x8000000000000000},
      {"min_f64", 0x0000000000000000, 0x8000000000000000, 0x8000000000000000},
      {"max_f64", 0x8000000000000000, 0x0000000000000000, 0x0000000000000000},
      {"max_f64", 0x7ff8000000000000, 0x3ff0000000000000, 0x3ff0000000000000},
      {"min_f64", 0x3ff0000000000000, 0x7ff8000000000000, 0x3ff0000000000000},
      {"pk_add_f16", 0x00017c00, 0x0001fc00, 0x00027e00},
      {"pk_add_f16", 0x7bff3c00, 0x7bff3c00, 0x7c004000},
  };
  for (const Row &r : rows) {
    State s;
    s.setExec(1);
    setAddress(s, 2, 0, machine.memory());
    s.v[8].u[0] = uint32_t(r.data);
    s.v[9].u[0] = uint32_t(r.data >> 32);
    std::memcpy(s.memory.data(), &r.memory, 8);
    const bool wide = std::string(r.op).find("f64") != std::string::npos;
    machine.run(
        std::string("global_atomic_") + r.op + " v[2:3], " + (wide ? "v[8:9]" : "v8") + ", off", s);
    uint64_t got = 0;
    std::memcpy(&got, s.memory.data(), wide ? 8 : 4);
    EXPECT_EQ(got, r.want) << r.op << std::hex << " " << r.memory << " " << r.data;
  }
}
