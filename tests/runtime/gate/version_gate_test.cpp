// What may run beside an original in the place of one of its kernels, and with which packet.
#include "runtime/gate/version_gate.h"
#include "tests/runtime/codeobject/builder.h"

#include <functional>
#include <gtest/gtest.h>

using namespace meld;
using namespace meld::test;

namespace {

BuildObject original() {
  BuildObject object;
  object.kernels[0].priv = 32;
  object.kernels[0].group = 512;
  object.kernels[0].vgprs = 64;
  object.kernels[0].args.push_back({16, 8, "hidden_global_offset_x", ""});
  object.kernels.resize(2);
  object.kernels[1].name = "second";
  object.variables = {{"counter", {7, 0, 0, 0}, false, 4}, {"table", Bytes(64, 3), false, 16}};
  return object;
}

/// The section in which the maker of a version says what it knows.
std::pair<std::string, Bytes> marker(const std::string &text) {
  return {".meld", Bytes(text.begin(), text.end())};
}

/// Of the first kernel, which waits for nobody.
BuildObject version() {
  BuildObject object = original();
  object.kernels.resize(1);
  object.variables.clear();
  object.undefined = {"counter"};
  object.extraSections = {marker(R"({"waits": false})")};
  return object;
}

std::vector<GateFinding> compare(const BuildObject &from, const BuildObject &to, Gear gear,
                                 LowerOccupancy lower = LowerOccupancy::refused) {
  const Bytes a = build(from), b = build(to);
  auto before = CodeObject::parse(a), after = CodeObject::parse(b);
  EXPECT_TRUE(before && after);
  return compareForVersion(*before, *after, from.kernels[0].name, gear, lower);
}

struct Case {
  const char *title;
  GateReason reason;
  std::function<void(BuildObject &)> change;
  bool launchAccepts = false; ///< what the packet can carry
};

const Case kCases[] = {
    {"flags", GateReason::targetId, [](BuildObject &o) { o.flags = 0x73f; }},
    {"codeObjectVersion", GateReason::targetId, [](BuildObject &o) { o.abi = 3; }},
    {"otherKernel", GateReason::kernelSet, [](BuildObject &o) { o.kernels[0].name = "second"; }},
    {"twoKernels", GateReason::kernelSet,
     [](BuildObject &o) {
       o.kernels.resize(2);
       o.kernels[1].name = "second";
     }},
    {"kernargSize", GateReason::kernargSize, [](BuildObject &o) { o.kernels[0].kernargSize = 24; }},
    {"explicitArgs", GateReason::explicitArgs,
     [](BuildObject &o) { o.kernels[0].args[1].offset = 12; }},
    {"hiddenArgs", GateReason::hiddenArgs,
     [](BuildObject &o) {
       o.kernels[0].args.push_back({24, 8, "hidden_hostcall_buffer", ""});
     }},
    {"wave32", GateReason::wavefrontSize, [](BuildObject &o) { o.kernels[0].wave = 32; }},
    {"smallerWorkgroups", GateReason::maxWorkgroupSize,
     [](BuildObject &o) { o.kernels[0].maxWorkgroup = 128; }},
    {"denormals", GateReason::floatMode, [](BuildObject &o) { o.kernels[0].rsrc1 ^= 0x30000; }},
    {"descriptor", GateReason::descriptor,
     [](BuildObject &o) { o.kernels[0].descriptorPrivate = 0; }},
    {"moreScratch", GateReason::privateSegment, [](BuildObject &o) { o.kernels[0].priv = 36; }},
    {"dynamicStack", GateReason::dynamicStack,
     [](BuildObject &o) { o.kernels[0].dynamicStack = true; }},
    {"variableOfItsOwn", GateReason::symbolAdded,
     [](BuildObject &o) {
       o.variables.push_back({"more", {1}, false, 1});
     }},
    {"unknownVariable", GateReason::symbolMissing,
     [](BuildObject &o) { o.undefined.push_back("elsewhere"); }},
    {"kernelAsVariable", GateReason::symbolMissing,
     [](BuildObject &o) { o.undefined.push_back("second"); }},
    {"moreLds", GateReason::groupSegment, [](BuildObject &o) { o.kernels[0].group = 516; }, true},
    {"lowerOccupancy", GateReason::occupancy, [](BuildObject &o) { o.kernels[0].vgprs = 72; },
     true},
};

class VersionGate : public testing::TestWithParam<Case> {};

TEST_P(VersionGate, OneChange) {
  BuildObject to = version();
  GetParam().change(to);
  const auto served = compare(original(), to, Gear::serve);
  ASSERT_FALSE(served.empty());
  EXPECT_EQ(served.front().reason, GetParam().reason) << served.front().describe();
  const auto launched = compare(original(), to, Gear::launch);
  EXPECT_EQ(launched.empty(), GetParam().launchAccepts)
      << (launched.empty() ? "" : launched.front().describe());
}

INSTANTIATE_TEST_SUITE_P(All, VersionGate, testing::ValuesIn(kCases),
                         [](const auto &one) { return std::string(one.param.title); });

} // namespace

TEST(VersionGates, WhatIsTheSameOrLessPasses) {
  for (Gear gear : {Gear::serve, Gear::launch}) {
    EXPECT_TRUE(compare(original(), version(), gear).empty());
    BuildObject less = version();
    less.kernels[0].group = 256;
    less.kernels[0].priv = 0;
    less.kernels[0].vgprs = 32;
    less.kernels[0].args.pop_back(); // the hidden one
    less.undefined.clear();
    less.variables.push_back({"__hip_cuid_abdedbbf08ca8aa3", {0}, true, 1}); // names its build
    EXPECT_TRUE(compare(original(), less, gear).empty());
  }
}

// A barrier of the program's own over all work-groups: as many were launched as fit at once.
TEST(VersionGates, FewerWorkgroupsAtOnceOnlyWhereNobodyWaitsForThem) {
  const std::function<void(BuildObject &)> changes[] = {
      [](BuildObject &o) { o.kernels[0].vgprs = 72; },
      [](BuildObject &o) { o.kernels[0].group = 516; }};
  for (const auto &change : changes) {
    BuildObject to = version();
    change(to);
    EXPECT_TRUE(compare(original(), to, Gear::launch).empty());
    for (const char *said : {R"({"waits": true})", "{}", "[1]", R"({"waits": 0})", "{", ""}) {
      to.extraSections = {marker(said)};
      EXPECT_FALSE(compare(original(), to, Gear::launch).empty()) << said;
    }
    to.extraSections.clear();
    EXPECT_FALSE(compare(original(), to, Gear::launch).empty());
  }
}

// rocPRIM names its dynamic LDS: an undefined symbol in any object that uses it, and no variable.
TEST(VersionGates, DynamicLdsWithANameIsNobodys) {
  BuildObject from = original(), to = version();
  from.undefined = to.undefined = {"dynamic"};
  to.undefined.push_back("counter");
  EXPECT_TRUE(compare(from, to, Gear::serve).empty());
  const Bytes a = build(from), b = build(to);
  EXPECT_EQ(variablesNeeded(*CodeObject::parse(a), *CodeObject::parse(b)),
            std::vector<std::string>{"counter"});
}

TEST(VersionGates, CooperativeLaunchesCountOnRegisters) {
  BuildObject from = original(), to = version();
  from.kernels[0].args.push_back({24, 8, "hidden_multigrid_sync_arg", ""});
  to.kernels[0].args = from.kernels[0].args;
  EXPECT_TRUE(compare(from, to, Gear::serve).empty());
  to.kernels[0].vgprs += 1;
  const auto findings = compare(from, to, Gear::serve, LowerOccupancy::allowed);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings.front().reason, GateReason::cooperativeRegisters);
}

TEST(VersionPacket, SizesOfALaunch) {
  const LaunchSizes original{512, 32, false};
  const PacketSizes given{512, 32}, withDynamicLds{1536, 32};
  EXPECT_EQ(packetFor(original, original, given), given);
  EXPECT_EQ(packetFor(original, original, withDynamicLds), withDynamicLds);
  // Other static LDS, more or less: only where there is no dynamic LDS behind it.
  EXPECT_EQ(packetFor(original, {768, 32, false}, given), (PacketSizes{768, 32}));
  EXPECT_EQ(packetFor(original, {0, 32, false}, given), (PacketSizes{0, 32}));
  EXPECT_EQ(packetFor(original, {768, 32, false}, withDynamicLds), std::nullopt);
  EXPECT_EQ(packetFor(original, {0, 32, false}, withDynamicLds), std::nullopt);
  // Scratch: its own, never more than was asked for.
  EXPECT_EQ(packetFor(original, {512, 0, false}, given), (PacketSizes{512, 0}));
  EXPECT_EQ(packetFor(original, {512, 36, false}, given), std::nullopt);
  EXPECT_EQ(packetFor(original, {512, 0, false}, {512, 1024}), (PacketSizes{512, 1024}));
  // A dynamic stack is sized by the host.
  const LaunchSizes dynamic{512, 32, true};
  EXPECT_EQ(packetFor(dynamic, {512, 0, false}, {512, 16384}), (PacketSizes{512, 16384}));
  EXPECT_EQ(packetFor(dynamic, {512, 0, true}, {512, 16384}), (PacketSizes{512, 16384}));
  EXPECT_EQ(packetFor(dynamic, {512, 0, false}, {512, 32}), (PacketSizes{512, 32}));
  EXPECT_EQ(packetFor(original, {512, 0, true}, given), std::nullopt);
}

TEST(VersionPacket, TheReasonWhyThereIsNone) {
  const LaunchSizes original{512, 32, false};
  const PacketSizes given{512, 32}, withDynamicLds{1536, 32};
  EXPECT_EQ(whyNoPacket(original, {768, 0, false}, given), nullptr);
  EXPECT_STREQ(whyNoPacket(original, {768, 32, false}, withDynamicLds),
               "its static LDS has another size, and the launch's dynamic LDS lies behind it");
  EXPECT_STREQ(whyNoPacket(original, {512, 36, false}, given),
               "it needs more scratch than the launch asks for");
  EXPECT_STREQ(whyNoPacket(original, {512, 0, true}, given), "it needs a dynamic stack");
}
