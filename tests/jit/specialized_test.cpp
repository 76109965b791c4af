// Versions for launches that have something in common: which facts they depend on, that these make
// them smaller, and which kernels have none. Offsets are those of kernels/options.hip.
#include "jit/code_object.h"
#include "jit/compile.h"
#include "tests/jit/test_objects.h"

#include <nlohmann/json.hpp>

using namespace llvm;
using namespace meld::jit;
using namespace meld::jit::test;
using Status = CompileReply::Status;

namespace {

CompileReply specialized(const std::string &kernel, const std::string &facts) {
  const auto file = codeObject("options");
  CompileRequest r;
  r.codeObject = file->getBuffer();
  r.kernel = kernel;
  r.recipe = "specialized";
  r.facts = facts;
  return compile(r);
}

std::string factsOf(const CompileReply &reply) {
  const auto json = nlohmann::json::parse(reply.json, nullptr, false);
  return json.is_object() ? json.value("facts", "none") : "no JSON";
}

uint64_t codeBytesOf(StringRef object, const std::string &kernel) {
  auto kernels = readKernels(MemoryBufferRef(object, "object"));
  if (!kernels)
    return 0;
  for (const Kernel &one : *kernels)
    if (one.name == kernel)
      return one.code.size();
  return 0;
}

TEST(Specialized, dependsOnWhatDecidesSomething) {
  // No field, order 2, and a pitch and a scale: the sum of k and the pitch is an address, the
  // pitch's multiplication goes with the loop's unrolling.
  const CompileReply reply =
      specialized("push", "argument 8 4 0x400; argument 12 1 0x0; argument 16 4 0x2; argument 20 4 "
                          "0x0; argument 24 4 0x3f800000; argument 32 4 0x40000000");
  ASSERT_EQ(reply.status, Status::replaced) << reply.reason;
  EXPECT_EQ(factsOf(reply), "argument 12 1 0x0; argument 16 4 0x2; argument 20 4 0x0");
  EXPECT_LT(codeBytesOf(reply.bytes, "push"),
            codeBytesOf(codeObject("options")->getBuffer(), "push") * 2 / 3);
}

TEST(Specialized, looksIntoFunctors) {
  const std::string kernel = "_Z7forEachI5ScaleEvjT_";
  const CompileReply reply = specialized(
      kernel, "argument 8 4 0x1000; argument 12 4 0x7f00; argument 16 4 0x8; argument 20 4 0x2");
  ASSERT_EQ(reply.status, Status::replaced) << reply.reason;
  EXPECT_EQ(factsOf(reply), "argument 16 4 0x8; argument 20 4 0x2");
  EXPECT_LT(codeBytesOf(reply.bytes, kernel),
            codeBytesOf(codeObject("options")->getBuffer(), kernel) / 2);
}

// Otherwise the host would refuse launches of another shape by the version's metadata.
TEST(Specialized, aShapeIsForTheCodeAndNotForTheHost) {
  const CompileReply reply = specialized("strided", "workgroup 256 1 1; full-groups");
  ASSERT_EQ(reply.status, Status::replaced) << reply.reason;
  // clang 17 and later take every group for a full one.
  EXPECT_EQ(factsOf(reply),
            LLVM_VERSION_MAJOR >= 17 ? "workgroup 256 1 1" : "workgroup 256 1 1; full-groups");
  EXPECT_EQ(StringRef(reply.bytes).find(".reqd_workgroup_size"), StringRef::npos);
  // The last group may be smaller than the others.
  if (LLVM_VERSION_MAJOR < 17) {
    EXPECT_NE(specialized("strided", "workgroup 256 1 1").status, Status::replaced);
  }
}

// Neither the grid nor the groups' size is the step of the loop alone.
TEST(Specialized, aGridThatCoversAllNeedsNoLoop) {
  const std::string shape = "workgroup 256 1 1; full-groups";
  const CompileReply once =
      specialized("gridStrided", "argument 8 4 0x1000; " + shape + "; grid 0 4096");
  ASSERT_EQ(once.status, Status::replaced) << once.reason;
  EXPECT_EQ(factsOf(once), "argument 8 4 0x1000; " + shape + "; grid 0 4096");
  // With more elements than work-items there is a loop.
  const CompileReply twice =
      specialized("gridStrided", "argument 8 4 0x1001; " + shape + "; grid 0 4096");
  ASSERT_EQ(twice.status, Status::replaced) << twice.reason;
  EXPECT_LT(codeBytesOf(once.bytes, "gridStrided"), codeBytesOf(twice.bytes, "gridStrided"));
}

TEST(Specialized, nullPointersAreOptions) {
  const CompileReply none = specialized(
      "masked", "argument 8 4 0x0; argument 12 4 0x0; argument 16 4 0x0; argument 20 4 0x0");
  ASSERT_EQ(none.status, Status::replaced) << none.reason;
  EXPECT_EQ(factsOf(none),
            "argument 8 4 0x0; argument 12 4 0x0; argument 16 4 0x0; argument 20 4 0x0");
  const CompileReply both = specialized("masked", "nonnull 0; nonnull 8; nonnull 16");
  ASSERT_EQ(both.status, Status::replaced) << both.reason;
  EXPECT_EQ(factsOf(both), "nonnull 8; nonnull 16");
  const uint64_t general = codeBytesOf(codeObject("options")->getBuffer(), "masked");
  EXPECT_LT(codeBytesOf(both.bytes, "masked"), general);
  EXPECT_LT(codeBytesOf(none.bytes, "masked"), codeBytesOf(both.bytes, "masked"));
}

TEST(Specialized, whatIsKnownBeforeALoopIsNegatedInIt) {
  const CompileReply reply = specialized("damped", "argument 12 4 0x4");
  EXPECT_EQ(reply.status, Status::replaced) << reply.reason;
}

TEST(Specialized, otherFactsOtherCodeTheSameFactsTheSameCode) {
  const std::string none = "argument 20 4 0x0", electric = "argument 20 4 0x1";
  EXPECT_EQ(specialized("push", none).bytes, specialized("push", none).bytes);
  EXPECT_NE(specialized("push", none).bytes, specialized("push", electric).bytes);
}

TEST(Specialized, nothingPays) {
  const CompileReply adds = specialized("adds", "argument 8 4 0x1");
  EXPECT_EQ(adds.status, Status::unchanged);
  EXPECT_TRUE(adds.permanent);
  EXPECT_NE(adds.reason.find("nothing is decided"), std::string::npos) << adds.reason;
  const CompileReply elsewhere = specialized("adds", "argument 400 4 0x1");
  EXPECT_EQ(elsewhere.status, Status::unchanged);
  EXPECT_NE(elsewhere.reason.find("reads nothing"), std::string::npos) << elsewhere.reason;
}

TEST(Specialized, whatTheMachineComputesInItsOwnWayIsNotFolded) {
  const CompileReply reply = specialized("weights", "argument 8 4 0x4");
  EXPECT_EQ(reply.status, Status::unchanged);
  EXPECT_NE(reply.reason.find("in another way than by the machine"), std::string::npos)
      << reply.reason;
}

// No measurement finds wrong results: code that LLVM may have got wrong is no version either.
TEST(Specialized, codeThatMayBeWrong) {
  const CompileReply reply = specialized("swaps", "argument 8 4 0x4");
  EXPECT_EQ(reply.status, Status::unchanged);
  EXPECT_TRUE(reply.permanent);
  EXPECT_EQ(reply.reason,
            "no version: swaps: swaps beside calls, which LLVM may have got wrong, 0 -> 1");
  // With that order there is a loop between the two.
  EXPECT_EQ(specialized("swaps", "argument 8 4 0x2").status, Status::replaced);
}

TEST(Specialized, requestsThatAreNone) {
  EXPECT_EQ(specialized("adds", "").status, Status::failed);
  EXPECT_EQ(specialized("adds", "argument 8 4").status, Status::failed);
  CompileRequest r;
  const auto file = codeObject("options");
  r.codeObject = file->getBuffer();
  r.kernel = "push";
  r.recipe = "melded";
  r.facts = "argument 20 4 0x0";
  EXPECT_EQ(compile(r).status, Status::failed);
}

} // namespace
