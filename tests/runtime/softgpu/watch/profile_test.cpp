// The per-instruction profile against numbers worked out by hand from the assembly (profile.s), and
// against the counters of the same dispatch.
#include "tests/runtime/softgpu/execute/test_code.h"

#include "runtime/softgpu/counters/profile.h"
#include "runtime/softgpu/isa/decoder.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

namespace meld::softgpu::test {
namespace {

using std::vector;

/// The sink reads the variable on first use.
[[maybe_unused]] const int enabled = [] {
  static const std::string name = testing::TempDir() + "meld-profile-test-%p.json";
  return setenv("MELD_GPU_PROFILE", name.c_str(), 1);
}();

class Profile : public testing::TestWithParam<std::tuple<std::string, bool>> {
protected:
  std::string target = std::get<0>(GetParam());
  bool timing = std::get<1>(GetParam());

  std::unique_ptr<Gpu> gpu(unsigned threads) {
    DeviceConfig c = testConfig(target, threads);
    c.timing = timing;
    return Gpu::create(c);
  }
  /// The profile of `kernel` loaded at the address of `code`'s.
  static nlohmann::json of(const TestCode &code, const std::string &kernel) {
    const uint64_t d = code.descriptor(kernel);
    char entry[32];
    std::snprintf(entry, sizeof(entry), "0x%llx",
                  static_cast<unsigned long long>(d + code.field<uint64_t>(kernel, 16)));
    const auto all = nlohmann::json::parse(ProfileSink::instance().toJson());
    for (const auto &k : all["kernels"])
      if (k["kernel"] == kernel && k["entry"] == entry)
        return k;
    ADD_FAILURE() << "no profile of " << kernel << " at " << entry;
    return {};
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, Profile,
                         testing::Combine(testing::Values("gfx900", "gfx90a"), testing::Bool()),
                         [](auto &i) {
                           return std::get<0>(i.param) + (std::get<1>(i.param) ? "_timing" : "");
                         });

struct Expected {
  const char *text;
  int executions, lanes, execZero, uniformSources, uniformResult; ///< -1: the field is absent
};

// 4 waves: two with work-items 0..63, two with 64..127.
const Expected kExpected[] = {
    {"s_load_dwordx2 s[2:3], s[0:1], 0x0", 4, -1, -1, -1, -1},
    {"v_mov_b32_e32 v1, 7", 4, 256, 0, 4, 4}, // no register source at all
    {"v_mov_b32_e32 v9, 0", 4, 256, 0, 4, 4},
    {"v_lshlrev_b32_e32 v2, 2, v0", 4, 256, 0, 0, 0},
    {"v_add_u32_e32 v3, v1, v1", 4, 256, 0, 4, 4},
    {"v_and_b32_e32 v4, 64, v0", 4, 256, 0, 0, 4},     // 0 in one wave, 64 in the other
    {"v_cmp_gt_u32_e32 vcc, 16, v0", 4, 256, 0, 0, 2}, // waves 1: false everywhere
    {"s_and_saveexec_b64 s[4:5], vcc", 4, -1, -1, -1, -1},
    {"v_add_u32_e32 v5, v1, v4", 4, 32, 2, 2, 2},          // 16 lanes in waves 0, none in waves 1
    {"v_cndmask_b32_e32 v6, v1, v4, vcc", 4, 32, 2, 2, 2}, // the mask is all ones under EXEC
    {"s_mov_b64 exec, s[4:5]", 4, -1, -1, -1, -1},
    {"v_cndmask_b32_e32 v7, v1, v4, vcc", 4, 256, 0, 2, 2}, // waves 0: two kinds of lanes
    {"v_mbcnt_lo_u32_b32 v10, -1, 0", 4, 256, 0, 0, 0},     // uniform sources, but lanes matter
    {"v_readfirstlane_b32 s8, v0", 4, 256, 0, 0, 4},
    {"v_mov_b32_dpp v11, v1 row_shr:1 row_mask:0xf bank_mask:0xf", 4, 256, 0, 0, 0},
    {"s_waitcnt lgkmcnt(0)", 4, -1, -1, -1, -1},
    {"global_load_dword v8, v9, s[2:3]", 4, 256, 0, 4, 4}, // one address, one value
    {"s_waitcnt vmcnt(0)", 4, -1, -1, -1, -1},
    {"global_store_dword v2, v8, s[2:3]", 4, 256, 0, 0, -1},
    {"s_mov_b32 s9, 3", 4, -1, -1, -1, -1},
    {"s_sub_u32 s9, s9, 1", 12, -1, -1, -1, -1},
    {"s_cmp_lg_u32 s9, 0", 12, -1, -1, -1, -1},
    {"s_cbranch_scc1 ", 12, -1, -1, -1, -1}, // the target is an address
    {"s_mov_b32 s10, 7", 4, -1, -1, -1, -1},
    {"s_set_gpr_idx_on s10, gpr_idx(DST)", 4, -1, -1, -1, -1},
    {"v_mov_b32_e32 v5, 5", 4, 256, 0, 4, 4}, // writes v12
    {"s_set_gpr_idx_off", 4, -1, -1, -1, -1},
    {"s_set_gpr_idx_on s10, gpr_idx(SRC0)", 4, -1, -1, -1, -1},
    {"v_mov_b32_e32 v13, v5", 4, 256, 0, 4, 4}, // reads v12: v5 itself differs between lanes
    {"s_set_gpr_idx_off", 4, -1, -1, -1, -1},
    {"s_endpgm", 4, -1, -1, -1, -1},
};

TEST_P(Profile, EveryInstructionByHand) {
  for (unsigned threads : {1u, 2u}) {
    ProfileSink::instance().clear();
    TestCode code(std::string(MELD_TEST_KERNELS) + "/profile-" + target + ".hsaco");
    auto g = gpu(threads);
    vector<uint32_t> out(128, 3);
    auto r = launch(*g, code, "profiled", {256}, {128}, Args(out.data()));
    ASSERT_EQ(r.code, DispatchCode::ok) << r.message;
    auto p = of(code, "profiled");
    EXPECT_EQ(p["dispatches"], 1);
    EXPECT_EQ(p["waves"], 4);
    EXPECT_EQ(p["device"], target);
    auto &list = p["instructions"];
    ASSERT_EQ(list.size(), std::size(kExpected));
    for (size_t k = 0; k < list.size(); ++k) {
      const Expected &want = kExpected[k];
      auto &got = list[k];
      SCOPED_TRACE(want.text);
      EXPECT_EQ(got["text"].get<std::string>().rfind(want.text, 0), 0u) << got["text"];
      auto value = [&](const char *name) { return got.contains(name) ? got[name].get<int>() : -1; };
      EXPECT_EQ(value("executions"), want.executions);
      EXPECT_EQ(value("lanes"), want.lanes);
      EXPECT_EQ(value("execZero"), want.execZero);
      EXPECT_EQ(value("uniformSources"), want.uniformSources);
      EXPECT_EQ(value("uniformResult"), want.uniformResult);
    }
  }
}

// A workgroup of one thread: what runs, runs with one lane.
TEST_P(Profile, OneLaneIsCounted) {
  ProfileSink::instance().clear();
  TestCode code(std::string(MELD_TEST_KERNELS) + "/profile-" + target + ".hsaco");
  auto g = gpu(1);
  vector<uint32_t> out(128, 3);
  ASSERT_EQ(launch(*g, code, "profiled", {130}, {65}, Args(out.data())).code, DispatchCode::ok);
  const auto p = of(code, "profiled");
  unsigned vector = 0;
  for (const auto &i : p["instructions"]) {
    if (!i.contains("lanes"))
      continue;
    ++vector;
    SCOPED_TRACE(i["text"].get<std::string>());
    // Two waves of 64 lanes and two of one, which are gone where only ids below 16 go on.
    EXPECT_EQ(i["oneLane"].get<int>(), i["execZero"].get<int>() ? 0 : 2);
  }
  EXPECT_GT(vector, 10u);
}

// Together: by all lanes that any later vector instruction runs with.
TEST_P(Profile, WhoIsTogether) {
  ProfileSink::instance().clear();
  TestCode code(std::string(MELD_TEST_KERNELS) + "/profile-" + target + ".hsaco");
  auto g = gpu(1);
  vector<uint32_t> out(64);
  ASSERT_EQ(launch(*g, code, "leaving", {128}, {64}, Args(out.data())).code, DispatchCode::ok);
  const auto p = of(code, "leaving");
  const std::pair<const char *, int> expected[] = {
      {"v_cmp_gt_u32_e32 vcc, 16, v0", 1},
      {"s_and_saveexec_b64 s[4:5], vcc", 1},
      {"v_mov_b32_e32 v1, 1", 0}, // 16..63 come back
      {"s_nop 1", 0},             // under the same EXEC
      {"s_mov_b64 exec, s[4:5]", 0},
      {"v_cmp_gt_u32_e32 vcc, 32, v0", 1},
      {"s_mov_b64 exec, vcc", 1},
      {"v_mov_b32_e32 v2, 2", 1}, // 32..63 are never seen again
      {"s_nop 2", 1},
      {"v_cmp_gt_u32_e32 vcc, 8, v0", 1},
      {"s_and_saveexec_b64 s[4:5], vcc", 1},
      {"v_mov_b32_e32 v3, 3", 1}, // 8..31 come back, but have nothing more to do
      {"s_mov_b64 exec, s[4:5]", 1},
      {"s_mov_b64 exec, 0", 1},
      {"v_mov_b32_e32 v4, 4", 0}, // by nobody
      {"s_mov_b64 exec, -1", 0},
      {"s_endpgm", 1},
  };
  auto &list = p["instructions"];
  ASSERT_EQ(list.size(), std::size(expected));
  for (size_t k = 0; k < list.size(); ++k) {
    SCOPED_TRACE(expected[k].first);
    EXPECT_EQ(list[k]["text"].get<std::string>().rfind(expected[k].first, 0), 0u);
    EXPECT_EQ(list[k]["executions"], 2);
    EXPECT_EQ(list[k]["converged"], 2 * expected[k].second);
  }
}

// Lanes that sit an instruction out are charged to what parted them; lanes that the wave never had are
// nobody's.
TEST_P(Profile, WhoPartsTheLanes) {
  ProfileSink::instance().clear();
  TestCode code(std::string(MELD_TEST_KERNELS) + "/profile-" + target + ".hsaco");
  auto g = gpu(1);
  vector<uint32_t> out(64);
  ASSERT_EQ(launch(*g, code, "parting", {96}, {48}, Args(out.data())).code, DispatchCode::ok);
  const auto p = of(code, "parting");
  EXPECT_EQ(p["startLanes"], 2 * 48);
  constexpr int saveexec = 1, leaveLoop = 12;
  struct Want {
    const char *text;
    int executions, active;
    std::vector<std::pair<int, int>> lost; ///< by the instruction's number
    int parted = 0, taken = -1, takenLanes = -1;
  };
  const Want expected[] = {
      {"v_cmp_gt_u32_e32 vcc, 16, v0", 1, 48, {}},
      {"s_and_saveexec_b64 s[4:5], vcc", 1, 48, {}, 1},
      {"s_xor_b64 s[4:5], exec, s[4:5]", 1, 16, {}},
      {"v_mov_b32_e32 v1, 1", 1, 16, {{saveexec, 32}}},
      {"s_andn2_saveexec_b64 s[4:5], s[4:5]", 1, 16, {}}, // nobody stays: these swap
      {"v_mov_b32_e32 v1, 2", 1, 32, {{saveexec, 16}}},   // the if's other side
      {"s_or_b64 exec, exec, s[4:5]", 1, 32, {}},
      {"v_lshrrev_b32_e32 v2, 4, v0", 1, 48, {}},
      {"s_mov_b64 s[6:7], 0", 1, 48, {}},
      {"v_cmp_eq_u32_e32 vcc, 0, v2", 3, 48 + 32 + 16, {{leaveLoop, 16 + 32}}},
      {"v_subrev_u32_e32 v2, 1, v2", 3, 48 + 32 + 16, {{leaveLoop, 16 + 32}}},
      {"s_or_b64 s[6:7], vcc, s[6:7]", 3, 96, {}},
      {"s_andn2_b64 exec, exec, s[6:7]", 3, 96, {}, 2}, // the last time all go
      {"s_cbranch_execnz ", 3, 32 + 16, {}, 0, 2, 32 + 16},
      {"s_or_b64 exec, exec, s[6:7]", 1, 0, {}},
      {"v_mov_b32_e32 v3, 3", 1, 48, {}},
      {"s_endpgm", 1, 48, {}},
  };
  auto &list = p["instructions"];
  ASSERT_EQ(list.size(), std::size(expected));
  for (size_t k = 0; k < list.size(); ++k) {
    const Want &want = expected[k];
    auto &got = list[k];
    SCOPED_TRACE(want.text);
    EXPECT_EQ(got["text"].get<std::string>().rfind(want.text, 0), 0u) << got["text"];
    EXPECT_EQ(got["executions"], 2 * want.executions);
    EXPECT_EQ(got[want.text[0] == 'v' ? "lanes" : "active"], 2 * want.active);
    EXPECT_EQ(got.value("parted", 0), 2 * want.parted);
    EXPECT_EQ(got.value("taken", -1), want.taken < 0 ? -1 : 2 * want.taken);
    EXPECT_EQ(got.value("takenLanes", -1), want.taken < 0 ? -1 : 2 * want.takenLanes);
    nlohmann::json lost = nlohmann::json::array();
    for (const auto &[cause, lanes] : want.lost)
      lost.push_back({list[size_t(cause)]["offset"], 2 * lanes});
    EXPECT_EQ(got.value("lost", nlohmann::json::array()), lost);
  }
}

// Dwords read and written, by register file.
TEST_P(Profile, RegistersByHand) {
  ProfileSink::instance().clear();
  TestCode code(std::string(MELD_TEST_KERNELS) + "/profile-" + target + ".hsaco");
  auto g = gpu(1);
  vector<uint32_t> out(128, 3);
  ASSERT_EQ(launch(*g, code, "profiled", {256}, {128}, Args(out.data())).code, DispatchCode::ok);
  const auto p = of(code, "profiled");
  struct Registers {
    const char *text;
    int vectorReads, vectorWrites, scalarReads, scalarWrites;
  };
  for (const Registers &want : {Registers{"s_load_dwordx2 s[2:3], s[0:1], 0x0", 0, 0, 2, 2},
                                {"v_mov_b32_e32 v1, 7", 0, 1, 0, 0},
                                {"v_add_u32_e32 v3, v1, v1", 2, 1, 0, 0},
                                {"v_cmp_gt_u32_e32 vcc, 16, v0", 1, 0, 0, 2},
                                {"v_cndmask_b32_e32 v6, v1, v4, vcc", 2, 1, 2, 0}}) {
    SCOPED_TRACE(want.text);
    bool found = false;
    for (const auto &i : p["instructions"])
      if (i["text"].get<std::string>().rfind(want.text, 0) == 0) {
        const auto &r = i["registers"];
        EXPECT_EQ(r["vectorReads"], want.vectorReads);
        EXPECT_EQ(r["vectorWrites"], want.vectorWrites);
        EXPECT_EQ(r["scalarReads"], want.scalarReads);
        EXPECT_EQ(r["scalarWrites"], want.scalarWrites);
        found = true;
      }
    EXPECT_TRUE(found);
  }
}

// Offsets are those of the code, and sums are those of the counters, over several dispatches.
TEST_P(Profile, AgreesWithCounters) {
  ProfileSink::instance().clear();
  TestCode code(std::string(MELD_TEST_KERNELS) + "/kernels-" + target + ".hsaco");
  auto g = gpu(2);
  vector<uint32_t> out(2048);
  WaveCounters sum;
  for (int k = 0; k < 3; ++k) {
    auto r = launch(*g, code, "collatz", {2048}, {256}, Args(out.data()));
    ASSERT_EQ(r.code, DispatchCode::ok) << r.message;
    sum.add(r.counters);
  }
  auto p = of(code, "collatz");
  EXPECT_EQ(p["dispatches"], 3);
  EXPECT_EQ(p["waves"], sum.waves);
  EXPECT_EQ(p["executions"], sum.total());
  uint64_t valu = 0, lanes = 0, last = 0;
  for (auto &i : p["instructions"]) {
    if (i["kind"] == "valu") {
      valu += i["executions"].get<uint64_t>();
      lanes += i["lanes"].get<uint64_t>();
    }
    if (i.contains("lanes")) { // all waves are full: each slot is used or lost
      uint64_t slots = i["lanes"];
      for (const auto &lost : i.value("lost", nlohmann::json::array()))
        slots += lost.at(1).get<uint64_t>();
      EXPECT_EQ(slots, 64 * i["executions"].get<uint64_t>()) << i["text"];
    }
    EXPECT_GE(i["offset"].get<uint64_t>(), last);
    last = i["offset"].get<uint64_t>() + 4;
  }
  EXPECT_EQ(valu, sum.insts[unsigned(isa::Category::valu)]);
  EXPECT_EQ(lanes, sum.activeLanesValu);
}

} // namespace
} // namespace meld::softgpu::test
