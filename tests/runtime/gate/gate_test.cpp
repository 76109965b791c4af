// Every reason of the gate, provoked by one change to the replacement.
#include "runtime/gate/gate.h"
#include "tests/runtime/codeobject/builder.h"

#include <functional>
#include <gtest/gtest.h>
#include <set>

using namespace meld;
using namespace meld::test;

namespace {

BuildObject base() {
  BuildObject object;
  object.kernels[0].priv = 32;
  object.kernels[0].group = 512;
  object.kernels[0].args.push_back({16, 8, "hidden_global_offset_x", ""});
  object.variables = {{"counter", {7, 0, 0, 0}, false, 4},
                      {"table", Bytes(64, 3), false, 16},
                      {"zeros", Bytes(64), true, 16}};
  return object;
}

std::vector<GateFinding> compare(const BuildObject &from, const BuildObject &to) {
  Bytes a = build(from), b = build(to);
  auto findings = gate(a, b);
  EXPECT_TRUE(findings) << findings.error().message;
  return findings ? *findings : std::vector<GateFinding>{};
}

struct Case {
  GateReason reason;
  const char *title;
  std::function<void(BuildObject &)> change;
  std::function<void(BuildObject &)> prepare = {}; ///< applied to both sides first
};

const std::vector<Case> &cases() {
  static const std::vector<Case> all = {
      {GateReason::targetId, "flags", [](BuildObject &o) { o.flags = 0x73f; }},
      {GateReason::targetId, "processor", [](BuildObject &o) { o.flags = 0x530; }},
      {GateReason::targetId, "version", [](BuildObject &o) { o.abi = 3; }},
      {GateReason::targetId, "metadataVersion", [](BuildObject &o) { o.versionMinor = 2; }},
      {GateReason::targetId, "metadataTarget", [](BuildObject &o) { o.target += ":xnack+"; }},
      {GateReason::kernelSet, "missing", [](BuildObject &o) { o.kernels.pop_back(); },
       [](BuildObject &o) {
         o.kernels.resize(2);
         o.kernels[1].name = "second";
       }},
      {GateReason::kernelSet, "added",
       [](BuildObject &o) {
         o.kernels.resize(2);
         o.kernels[1].name = "second";
       }},
      {GateReason::kernelSet, "descriptorSymbol",
       [](BuildObject &o) { o.kernels[0].symbol = "elsewhere.kd"; }},
      {GateReason::kernargSize, "size", [](BuildObject &o) { o.kernels[0].kernargSize = 24; }},
      {GateReason::kernargSize, "lessThanItsArguments",
       [](BuildObject &o) { o.kernels[0].kernargSize = 8; }},
      {GateReason::kernargAlign, "align", [](BuildObject &o) { o.kernels[0].kernargAlign = 16; }},
      {GateReason::explicitArgs, "count",
       [](BuildObject &o) { o.kernels[0].args.erase(o.kernels[0].args.begin()); }},
      {GateReason::explicitArgs, "offset",
       [](BuildObject &o) { o.kernels[0].args[1].offset = 12; }},
      {GateReason::explicitArgs, "kind",
       [](BuildObject &o) { o.kernels[0].args[0].valueKind = "by_value"; }},
      {GateReason::explicitArgs, "space",
       [](BuildObject &o) { o.kernels[0].args[0].addressSpace = "local"; }},
      {GateReason::hiddenArgs, "new",
       [](BuildObject &o) {
         o.kernels[0].args.push_back({24, 8, "hidden_hostcall_buffer", ""});
       }},
      {GateReason::hiddenArgs, "moved", [](BuildObject &o) { o.kernels[0].args[2].offset = 24; }},
      {GateReason::wavefrontSize, "wave32", [](BuildObject &o) { o.kernels[0].wave = 32; }},
      {GateReason::reqdWorkgroupSize, "new",
       [](BuildObject &o) {
         o.kernels[0].reqd = {64, 1, 1};
       }},
      {GateReason::reqdWorkgroupSize, "other",
       [](BuildObject &o) {
         o.kernels[0].reqd = {1, 64, 1};
       },
       [](BuildObject &o) {
         o.kernels[0].reqd = {64, 1, 1};
       }},
      {GateReason::maxWorkgroupSize, "smaller",
       [](BuildObject &o) { o.kernels[0].maxWorkgroup = 128; }},
      {GateReason::privateSegment, "larger", [](BuildObject &o) { o.kernels[0].priv = 36; }},
      {GateReason::privateSegment, "descriptorOnly",
       [](BuildObject &o) { o.kernels[0].descriptorPrivate = 64; }},
      {GateReason::groupSegment, "larger", [](BuildObject &o) { o.kernels[0].group = 516; }},
      {GateReason::dynamicStack, "new", [](BuildObject &o) { o.kernels[0].dynamicStack = true; }},
      {GateReason::floatMode, "denormals", [](BuildObject &o) { o.kernels[0].rsrc1 ^= 0x30000; }},
      {GateReason::floatMode, "ieee", [](BuildObject &o) { o.kernels[0].rsrc1 ^= 1u << 23; }},
      {GateReason::descriptor, "disagrees",
       [](BuildObject &o) { o.kernels[0].descriptorPrivate = 0; }},
      {GateReason::occupancy, "unknownProcessor", [](BuildObject &o) { ++o.kernels[0].vgprs; },
       [](BuildObject &o) { o.kernels[0].wave = 32; }}, // no gfx90a has such waves
      {GateReason::occupancy, "vgprs", [](BuildObject &o) { o.kernels[0].vgprs = 72; },
       [](BuildObject &o) { o.kernels[0].vgprs = 64; }},
      {GateReason::occupancy, "sgprs", [](BuildObject &o) { o.kernels[0].sgprs = 112; },
       [](BuildObject &o) { o.kernels[0].sgprs = 96; }},
      // 1536 registers in pieces of 24: 12 -> 10 waves; with gfx1102's 1024 in pieces of 16 it is 8 of both.
      {GateReason::occupancy, "oneProcessorOfAGenericTarget",
       [](BuildObject &o) { o.kernels[0].vgprs = 121; },
       [](BuildObject &o) {
         o.flags = 0x1000054; // gfx11-generic
         o.abi = 4;
         o.target = "amdgcn-amd-amdhsa--gfx11-generic";
         o.kernels[0].wave = 32;
         o.kernels[0].vgprs = 120;
       }},
      {GateReason::targetId, "genericVersion", [](BuildObject &o) { o.flags = 0x2000054; },
       [](BuildObject &o) {
         o.flags = 0x1000054;
         o.abi = 4;
         o.kernels[0].wave = 32;
       }},
      {GateReason::cooperativeRegisters, "oneMore", [](BuildObject &o) { o.kernels[0].vgprs += 1; },
       [](BuildObject &o) {
         o.kernels[0].args.push_back({24, 8, "hidden_multigrid_sync_arg", ""});
       }},
      {GateReason::symbolMissing, "variable",
       [](BuildObject &o) { o.variables.erase(o.variables.begin()); }},
      {GateReason::symbolMissing, "onlyDeclared",
       [](BuildObject &o) {
         o.variables.erase(o.variables.begin());
         o.undefined = {"counter"};
       }},
      {GateReason::symbolAdded, "variable",
       [](BuildObject &o) {
         o.variables.push_back({"more", {1}, false, 1});
       }},
      {GateReason::symbolAdded, "undefined",
       [](BuildObject &o) { o.undefined = {"__ockl_missing"}; }},
      {GateReason::symbolSize, "smaller",
       [](BuildObject &o) { o.variables[1].initial.resize(60); }},
      {GateReason::symbolAlignment, "less", [](BuildObject &o) { o.variables[1].align = 4; },
       [](BuildObject &o) { o.variables[0].initial.resize(20); }},
      {GateReason::symbolBytes, "changed", [](BuildObject &o) { o.variables[0].initial[0] = 8; }},
      {GateReason::symbolBytes, "noLongerZero",
       [](BuildObject &o) {
         o.variables[2].zero = false;
         o.variables[2].initial[5] = 1;
       }},
  };
  return all;
}

} // namespace

class GateReasons : public testing::TestWithParam<Case> {};

TEST_P(GateReasons, OneChangeIsFoundAndNamed) {
  BuildObject from = base();
  if (GetParam().prepare)
    GetParam().prepare(from);
  EXPECT_TRUE(compare(from, from).empty()) << "the original must pass its own gate";
  BuildObject to = from;
  GetParam().change(to);
  auto findings = compare(from, to);
  bool found = false;
  std::string all;
  for (const GateFinding &finding : findings) {
    found |= finding.reason == GetParam().reason;
    all += finding.describe() + "\n";
    EXPECT_FALSE(finding.text.empty());
  }
  EXPECT_TRUE(found) << "findings:\n" << all;
}

static std::string caseName(const testing::TestParamInfo<Case> &one) {
  std::string name = std::string(gateReasonName(one.param.reason)) + "_" + one.param.title;
  for (char &c : name)
    if (c == '-')
      c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, GateReasons, testing::ValuesIn(cases()), caseName);

TEST(Gate, EveryReasonIsProvokedHere) {
  std::set<GateReason> provoked = {GateReason::malformed}; // below
  for (const Case &c : cases())
    provoked.insert(c.reason);
  EXPECT_EQ(provoked.size(), kGateReasons);
  std::set<std::string> names;
  for (unsigned i = 0; i < kGateReasons; ++i)
    names.insert(gateReasonName(static_cast<GateReason>(i)));
  EXPECT_EQ(names.size(), kGateReasons);
  EXPECT_FALSE(names.contains("?"));
}

// Forced meldings may cost waves; nothing else of the list becomes acceptable by that.
TEST(Gate, OnlyALowerOccupancyCanBeAllowed) {
  for (const Case &one : cases()) {
    BuildObject from = base(), to = base();
    if (one.prepare) {
      one.prepare(from);
      one.prepare(to);
    }
    one.change(to);
    auto findings = gate(build(from), build(to), LowerOccupancy::allowed);
    ASSERT_TRUE(findings);
    EXPECT_EQ(findings->empty(), one.reason == GateReason::occupancy) << one.title;
  }
}

TEST(Gate, GenericCodeMayUseMoreRegistersWhereNoProcessorLosesWaves) {
  BuildObject before = base();
  before.flags = 0x1000054;
  before.abi = 4;
  before.kernels[0].wave = 32;
  before.kernels[0].vgprs = 97;
  BuildObject after = before;
  after.kernels[0].vgprs = 112; // 120 of 1536 and 112 of 1024, as before
  EXPECT_TRUE(compare(before, after).empty());
}

// A processor that no table of ours has: nothing is known of its registers, the rest is compared.
TEST(Gate, CodeForAnUnknownProcessorPassesWithTheSameRegisters) {
  BuildObject before = base();
  before.flags = 0x7e;
  before.abi = 4;
  before.target = "amdgcn-amd-amdhsa--gfx1999";
  EXPECT_TRUE(compare(before, before).empty());
  BuildObject after = before;
  after.kernels[0].vgprs += 1;
  const auto findings = compare(before, after);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].reason, GateReason::occupancy);
}

TEST(Gate, MalformedReplacementIsRefusedAndMalformedOriginalIsAnError) {
  Bytes good = build(base());
  Bytes bad(good.begin(), good.begin() + good.size() / 2);
  auto findings = gate(good, bad);
  ASSERT_TRUE(findings);
  ASSERT_EQ(findings->size(), 1u);
  EXPECT_EQ(findings->front().reason, GateReason::malformed);
  EXPECT_FALSE(gate(bad, good));
  EXPECT_EQ(gate(good, Bytes{})->front().reason, GateReason::malformed);
}

// Two objects that differ in nothing but where their variables lie.
TEST(Gate, AVariableMayLieWhereverItsDeclarationAllows) {
  const BuildVariable table{"table", Bytes(64, 3), false, 64}, pad{"pad", {1}, false, 1};
  auto refused = [&](std::vector<BuildVariable> from, std::vector<BuildVariable> to,
                     const std::string &marker) {
    BuildObject a = base(), b = base();
    a.variables = std::move(from);
    b.variables = std::move(to);
    if (!marker.empty())
      b.extraSections = {{".meld", Bytes(marker.begin(), marker.end())}};
    std::set<std::string> names;
    for (const GateFinding &finding : compare(a, b)) {
      EXPECT_EQ(finding.reason, GateReason::symbolAlignment) << finding.describe();
      names.insert(finding.subject);
    }
    return names;
  };
  using Names = std::set<std::string>;
  const BuildVariable shorts{"table", Bytes(64, 3), false, 2},
      floats{"table", Bytes(64, 3), false, 4};
  // By chance at the start of the section first, then behind something small.
  EXPECT_EQ(refused({shorts, pad}, {pad, shorts}, R"({"variables":{"table":2,"pad":1}})"), Names{});
  EXPECT_EQ(refused({floats, pad}, {pad, floats}, R"({"variables":{"table":4,"pad":1}})"), Names{});
  // What is promised is kept.
  EXPECT_EQ(refused({table, pad}, {pad, floats}, R"({"variables":{"table":64,"pad":1}})"),
            Names{"table"});
  EXPECT_EQ(refused({table, pad}, {pad, shorts}, R"({"variables":{"table":4,"pad":1}})"),
            Names{"table"});
  // Nobody says what was: as much as may have been asked for, by a section of 16 here.
  for (const char *nothing : {"", "{", "[]", R"({"variables":[]})", R"({"variables":{"table":0}})",
                              R"({"variables":{"table":"2"}})", R"({"variables":{"table":3}})",
                              R"({"variables":{"table":-1}})"}) {
    EXPECT_EQ(refused({floats, pad}, {pad, floats}, nothing), Names{"table"}) << nothing;
    EXPECT_EQ(refused({pad, table}, {pad, {"table", Bytes(64, 3), false, 16}}, nothing), Names{})
        << nothing;
  }
}

// clang 18 and later name a build of a unit by a variable; bitcode from a file beside the code has
// another, or none.
TEST(Gate, TheVariableThatNamesABuildIsNobodys) {
  BuildObject before = base(), after = base();
  before.variables.push_back({"__hip_cuid_53098c67b29ec6d2", {0}, true, 1});
  EXPECT_TRUE(compare(before, after).empty());
  EXPECT_TRUE(compare(after, before).empty());
  after.variables.push_back({"__hip_cuid_abdedbbf08ca8aa3", {0}, true, 1});
  EXPECT_TRUE(compare(before, after).empty());
  after.variables.push_back({"hip_cuid", {0}, true, 1});
  EXPECT_EQ(compare(before, after).size(), 1u);
}

TEST(Gate, ImprovementsPass) {
  BuildObject from = base(), to = base();
  to.kernels[0].priv = 0;
  to.kernels[0].group = 256;
  to.kernels[0].maxWorkgroup = 1024;
  to.kernels[0].args.pop_back(); // a hidden argument that is not needed any more, nor its place
  from.kernels[0].kernargSize = 24;
  to.kernels[0].vgprs = 4;
  to.text = Bytes(512, 1); // other code of another size
  to.bitcode.clear();
  for (const GateFinding &finding : compare(from, to))
    ADD_FAILURE() << finding.describe();
}

TEST(Gate, MoreRegistersInTheSameOccupancyStepPass) {
  BuildObject from = base(), to = base();
  from.kernels[0].vgprs = 33;
  to.kernels[0].vgprs = 40;
  EXPECT_TRUE(compare(from, to).empty());
}
