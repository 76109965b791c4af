// Profit is decided on code: what the IR's costs let through is judged again on the machine code
// that came of it, against the original's.
#include "jit/code_object.h"
#include "jit/compile.h"
#include "jit/estimate.h"
#include "passes/compat.h"
#include "passes/melder/meld_choice.h"
#include "passes/options.h"
#include "tests/jit/recompile.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <nlohmann/json.hpp>

using namespace llvm;
using namespace meld::jit;
using namespace meld::jit::test;
namespace passes = meld::passes;
using Status = CompileReply::Status;

namespace {

struct Compiled {
  CompileReply reply;
  std::vector<std::string> judgements; ///< "kernel NAME: [not] better: ..."

  nlohmann::json kernel(const char *name) const {
    const auto json = nlohmann::json::parse(reply.json);
    for (const auto &k : json["kernels"])
      if (k["name"] == name)
        return k;
    return {};
  }
  bool wasJudged(const std::string &beginning) const {
    return any_of(judgements,
                  [&](const std::string &m) { return passes::compat::startsWith(m, beginning); });
  }
};

Compiled compiled(StringRef object, double minProfit = 0, bool scalarize = true,
                  bool force = false) {
  Compiled c;
  CompileRequest r;
  r.codeObject = object;
  r.meld.minProfit = minProfit;
  r.meld.minGain = 0; // what any gain decides, however small
  if (!scalarize)
    r.meld.without = {"scalarize"};
  r.meld.force = force;
  r.log = [&](int, const std::string &m) {
    if (passes::compat::startsWith(m, "kernel "))
      c.judgements.push_back(m);
  };
  c.reply = compile(r);
  return c;
}

/// The numbers of "estimated cycles 584 -> 592, ..."; zeros where there are none.
std::pair<double, double> cyclesIn(StringRef text) {
  double before = 0, after = 0;
  StringRef rest = text.split("estimated cycles ").second;
  rest.split(" -> ").first.getAsDouble(before);
  rest.split(" -> ").second.take_while([](char c) { return isDigit(c); }).getAsDouble(after);
  return {before, after};
}

TEST(Verdict, worseMachineCodeIsRefusedAndTheOriginalKept) {
  const auto good = compiled(withMoreWork("bitonic-gfx90a", "bitonic", 0));
  ASSERT_EQ(good.reply.status, Status::replaced) << good.reply.reason;
  EXPECT_TRUE(good.kernel("bitonic")["melded"].get<bool>());

  const auto bad = compiled(withMoreWork("bitonic-gfx90a", "bitonic", 600));
  EXPECT_EQ(bad.reply.status, Status::unchanged);
  EXPECT_TRUE(bad.reply.permanent);
  EXPECT_TRUE(bad.reply.bytes.empty());
  EXPECT_TRUE(passes::compat::startsWith(bad.reply.reason,
                                         "nothing profitable: bitonic: estimated cycles "))
      << bad.reply.reason;
  const auto [before, after] = cyclesIn(bad.reply.reason);
  EXPECT_GT(before, 0);
  EXPECT_GT(after, before);
  EXPECT_TRUE(bad.wasJudged("kernel bitonic: not better: "));
  EXPECT_FALSE(bad.kernel("bitonic")["melded"].get<bool>());
  EXPECT_EQ(bad.kernel("bitonic")["after"], bad.kernel("bitonic")["before"]);
}

// A threshold far below zero makes the melder take whatever is legal; the code still has to be
// better.
TEST(Verdict, noThresholdLetsWorseCodeThrough) {
  const auto forced = compiled(withMoreWork("bitonic-gfx90a", "bitonic", 600), -1e6);
  EXPECT_EQ(forced.reply.status, Status::unchanged) << forced.reply.reason;
  EXPECT_TRUE(forced.wasJudged("kernel bitonic: not better: "));
}

// Forced, the same code goes out. What a launch could not run with is refused all the same.
TEST(Verdict, forceLetsWorseCodeThrough) {
  const auto forced =
      compiled(withMoreWork("bitonic-gfx90a", "bitonic", 600), 0, true, /*force=*/true);
  ASSERT_EQ(forced.reply.status, Status::replaced) << forced.reply.reason;
  const auto kernel = forced.kernel("bitonic");
  EXPECT_TRUE(kernel["melded"].get<bool>());
  EXPECT_GT(kernel["after"]["estimatedCycles"].get<double>(),
            kernel["before"]["estimatedCycles"].get<double>());
}

// The function's code stays, its bitcode gets another instruction of the same cost.
std::string withOtherAssembly(const char *name, const std::string &functionName,
                              const char *assembly) {
  return withOtherBitcode(name, [&](Module &module) {
    unsigned changed = 0;
    for (Instruction &inst : instructions(*module.getFunction(functionName)))
      if (auto *call = dyn_cast<CallInst>(&inst))
        if (auto *old = dyn_cast<InlineAsm>(call->getCalledOperand())) {
          call->setCalledOperand(InlineAsm::get(call->getFunctionType(), assembly,
                                                old->getConstraintString(), old->hasSideEffects()));
          ++changed;
        }
    EXPECT_EQ(changed, 1u);
  });
}

// What costs what it did comes along with a kernel that is melded, but not where LLVM may have got
// it wrong: another kernel, or a function that kernels call.
TEST(Verdict, whatMayBeWrongDoesNotComeAlong) {
  const std::string function = "_Z8exchangePj";
  for (const std::string &name : {std::string("exchanges"), function}) {
    const auto same = compiled(withOtherAssembly("doubted", name, "v_and_b32 $0, $1, $0"));
    EXPECT_EQ(same.reply.status, Status::replaced) << same.reply.reason;
    for (const char *passes : {"", "none"}) {
      CompileRequest request;
      const std::string object = withOtherAssembly("doubted", name, "v_swap_b32 $0, $1");
      request.codeObject = object;
      request.meld.passes = passes;
      const CompileReply reply = compile(request);
      EXPECT_EQ(reply.status, Status::unchanged) << name << passes;
      EXPECT_NE(
          reply.reason.find(name + ": swaps beside calls, which LLVM may have got wrong, 0 -> 1"),
          std::string::npos)
          << reply.reason;
    }
  }
}

// Nobody looks at what became of a replacement; a version is measured beside the original.
TEST(Verdict, aReplacementNeedsALargerGainThanAVersion) {
  const auto file = codeObject("bitonic-gfx90a");
  CompileRequest request;
  request.codeObject = file->getBuffer();
  EXPECT_EQ(request.meld.minGain, 2);
  EXPECT_EQ(compile(request).status, Status::replaced);
  request.meld.minGain = 99;
  const CompileReply refused = compile(request);
  EXPECT_EQ(refused.status, Status::unchanged);
  EXPECT_NE(refused.reason.find("% of 99.0 % asked"), std::string::npos) << refused.reason;
  request.kernel = "bitonic";
  request.recipe = "melded-sure";
  const CompileReply version = compile(request);
  EXPECT_EQ(version.status, Status::replaced) << version.reason;
}

TEST(Verdict, forceRefusesWhatIsUnsafe) {
  Estimate before, after;
  before.cycles = 10, after.cycles = 20;
  before.wavesPerSimd = 8, after.wavesPerSimd = 4;
  const passes::KernelResources resources;
  EXPECT_FALSE(judge(before, resources, after, resources, 0).better);
  EXPECT_TRUE(judge(before, resources, after, resources, 0, /*force=*/true).better);
  EXPECT_TRUE(judge(before, resources, after, resources, 1000, /*force=*/true).better);
  for (uint32_t passes::KernelResources::*which :
       {&passes::KernelResources::ldsBytes, &passes::KernelResources::scratchBytes,
        &passes::KernelResources::vgprSpills}) {
    passes::KernelResources larger = resources;
    ++(larger.*which);
    EXPECT_FALSE(judge(before, resources, after, larger, 0, /*force=*/true).better);
  }
  after.swapsBesideCalls = 1;
  EXPECT_FALSE(judge(before, resources, after, resources, 0, /*force=*/true).better);
}

// What the bitcode gives is not the machine code that is there. Where no floating point is open to
// choices that is no matter (above); here nobody can say how the original's sums are rounded.
TEST(Verdict, floatingPointThatCannotBeRepeatedIsLeftAlone) {
  EXPECT_EQ(compiled(withMoreWork("diamond-gfx90a", "diamond", 0)).reply.status, Status::replaced);
  for (bool force : {false, true}) {
    const auto other = compiled(withMoreWork("diamond-gfx90a", "diamond", 1), 0, true, force);
    EXPECT_EQ(other.reply.status, Status::unchanged);
    // Not forced, the store more may be enough: then nothing needs to be proven.
    const StringRef reason = other.reply.reason;
    EXPECT_TRUE(
        passes::compat::startsWith(reason, "nothing profitable: diamond: its floating point ") ||
        (!force &&
         passes::compat::startsWith(reason, "nothing profitable: diamond: estimated cycles ")))
        << other.reply.reason;
    EXPECT_FALSE(other.kernel("diamond")["melded"].get<bool>());
  }
}

// The IR's costs are for melding both kernels, the machine code only for the second.
TEST(Verdict, theCodeOverrulesTheIr) {
#if LLVM_VERSION_MAJOR != 15
  GTEST_SKIP() << "which kernel gets worse depends on LLVM's own passes";
#endif
  const auto file = codeObject("refused");
  const auto made = compiled(file->getBuffer(), 0, /*scalarize=*/false);
  ASSERT_EQ(made.reply.status, Status::replaced) << made.reply.reason;
  ASSERT_TRUE(made.wasJudged("kernel quotients: not better: estimated cycles "));
  EXPECT_FALSE(made.wasJudged("kernel quotients: better"));
  const auto refused = made.kernel("quotients"), kept = made.kernel("remainders");
  EXPECT_FALSE(refused["melded"].get<bool>());
  const auto verdict = refused["verdict"].get<std::string>();
  EXPECT_TRUE(passes::compat::startsWith(verdict, "kept the original: estimated cycles "))
      << verdict;
  const auto [before, after] = cyclesIn(verdict);
  EXPECT_GE(after, before);
  EXPECT_EQ(before, refused["before"]["estimatedCycles"].get<double>());
  EXPECT_TRUE(kept["melded"].get<bool>());
  EXPECT_LT(kept["after"]["estimatedCycles"].get<double>(),
            kept["before"]["estimatedCycles"].get<double>());

  auto originals = readKernels(*file);
  auto kernels = readKernels(MemoryBufferRef(made.reply.bytes, "made"));
  ASSERT_TRUE(originals && kernels);
  for (size_t i = 0; i < originals->size(); ++i)
    EXPECT_EQ((*originals)[i].code == (*kernels)[i].code, (*originals)[i].name == "quotients")
        << (*originals)[i].name;
}

// What scalarization saves in the same kernel is more than the meldings cost, and still they go.
TEST(Verdict, scalarizationDoesNotPayForMeldings) {
#if LLVM_VERSION_MAJOR != 15
  GTEST_SKIP() << "which kernel gets worse depends on LLVM's own passes";
#endif
  const auto made = compiled(codeObject("refused")->getBuffer());
  ASSERT_EQ(made.reply.status, Status::replaced) << made.reply.reason;
  const auto kernel = made.kernel("quotients");
  EXPECT_TRUE(kernel["melded"].get<bool>());
  EXPECT_LT(kernel["after"]["estimatedCycles"].get<double>(),
            kernel["before"]["estimatedCycles"].get<double>());
  unsigned scalarized = 0, leftOut = 0;
  for (const auto &decision : kernel["decisions"]) {
    const bool scalar = passes::isScalarizer(decision["pass"].get<std::string>());
    EXPECT_EQ(decision["melded"].get<bool>(), scalar) << decision;
    scalarized += scalar;
    leftOut += decision["reason"] == passes::leftOutReason;
  }
  EXPECT_GT(scalarized, 0u);
  EXPECT_GT(leftOut, 0u);
}

} // namespace
