#include "jit/profile/marks.h"

#include "passes/melder/branch_profile.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace meld::jit {
namespace {

// B0 -> a (twice), b, join; a -> join; b is a loop; all that needs blocks of its own.
constexpr const char *switches = R"(
define void @f(i32 %x) {
entry:
  %slot = alloca i32
  switch i32 %x, label %b [ i32 0, label %a
                            i32 1, label %a
                            i32 2, label %join
                            i32 3, label %join ]
a:
  br label %join
b:
  %i = phi i32 [ 0, %entry ], [ %next, %b ]
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %x
  br i1 %again, label %b, label %join
join:
  %r = phi i32 [ 7, %a ], [ 8, %entry ], [ 8, %entry ], [ %next, %b ]
  store i32 %r, i32* %slot
  ret void
}
)";

std::unique_ptr<Module> parse(LLVMContext &context, std::string text) {
  SMDiagnostic error;
  if (LLVM_VERSION_MAJOR > 15) // typed pointers are gone
    text.replace(text.find("i32*"), 4, "ptr");
  auto module = parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  return module;
}

std::map<std::string, std::vector<unsigned>> markersIn(const Function &function) {
  std::map<std::string, std::vector<unsigned>> found;
  for (const BasicBlock &block : function)
    for (const Instruction &i : block)
      if (const auto *call = dyn_cast<CallInst>(&i))
        if (const auto *text = dyn_cast<InlineAsm>(call->getCalledOperand())) {
          EXPECT_TRUE(text->hasSideEffects());
          unsigned number = 0;
          const StringRef words = text->getAsmString();
          EXPECT_FALSE(words.substr(words.find("0x") + 2).getAsInteger(16, number)) << words.str();
          found[block.getName().str()].push_back(number);
        }
  return found;
}

TEST(Marks, EveryBlockAndEveryEdgeHasOne) {
  LLVMContext context;
  auto module = parse(context, switches);
  ASSERT_TRUE(module);
  Function &f = *module->getFunction("f");
  const std::string hash = controlFlowHash(f);
  FunctionAnalysisManager analyses;
  auto marks = std::make_shared<Marks>();
  MarkPass pass(marks);
  pass.run(f, analyses);
  std::string problem;
  raw_string_ostream os(problem);
  EXPECT_FALSE(verifyFunction(f, &os)) << os.str();
  const auto found = markersIn(f);
  std::set<unsigned> numbers;
  for (const BasicBlock &block : f) {
    const auto it = found.find(block.getName().str());
    ASSERT_NE(it, found.end()) << block.getName().str();
    EXPECT_EQ(it->second.size(), 1u);
    EXPECT_GE(it->second[0], firstMark);
    numbers.insert(it->second[0]);
  }
  EXPECT_EQ(numbers.size(), f.size()) << "no two are alike";
  EXPECT_EQ(f.size(), 4u + 4) << "entry to b, entry to join, b to b, b to join";

  ASSERT_EQ(marks->functions.size(), 1u);
  const MarkedFunction &marked = marks->functions[0];
  EXPECT_EQ(marked.cfg, hash);
  EXPECT_EQ(marked.blocks.size(), 4u);
  ASSERT_EQ(marked.branches.size(), 2u);
  EXPECT_EQ(marked.branches[0].edges.size(), 3u) << "b, a, join";
  EXPECT_FALSE(marked.branches[0].exitsLoop);
  EXPECT_TRUE(marked.branches[1].exitsLoop);
  ASSERT_EQ(marked.loops.size(), 1u);
  EXPECT_EQ(marked.loops[0].header, 2u);
  EXPECT_EQ(marked.loops[0].entries, std::vector<unsigned>{marked.branches[0].edges[0].mark});

  // Once is enough, however often the pipeline comes along.
  pass.run(f, analyses);
  EXPECT_EQ(f.size(), 8u);
}

TEST(Marks, TheHashTellsControlFlowApart) {
  LLVMContext context;
  auto module = parse(context, switches);
  ASSERT_TRUE(module);
  Function &f = *module->getFunction("f");
  const std::string before = controlFlowHash(f);
  EXPECT_EQ(before.size(), 16u);
  auto &branch = cast<BranchInst>(*std::next(f.begin(), 2)->getTerminator());
  branch.swapSuccessors();
  EXPECT_NE(controlFlowHash(f), before);
}

profile::Function counted(uint64_t executions, uint64_t left, uint64_t right) {
  profile::Function f{"f", "1", {{executions, executions * 64}}, {}, {}};
  profile::Branch branch;
  branch.edges = {{0, {left, left * 32}}, {0, {right, right * 32}}};
  branch.executions = executions;
  f.branches.push_back(branch);
  return f;
}

TEST(Counts, AreSummedOverKernels) {
  profile::Object object;
  object.kernels = {{"k", 1, 10, 0, {counted(10, 8, 4)}}, {"l", 1, 20, 0, {counted(20, 20, 20)}}};
  const profile::Branch all = functionCounts(object).at("f").branches.at(0);
  EXPECT_EQ(all.executions, 30u);
  EXPECT_EQ(all.both(), 2u + 20u);
  EXPECT_EQ(functionCounts(object, "k").at("f").branches.at(0).both(), 2u);
  // A kernel without counts may call it, too.
  object.kernels.push_back({"m", 1, 5, 0, {}});
  EXPECT_TRUE(functionCounts(object).empty());
  object.kernels.back().launches = 0;
  EXPECT_EQ(functionCounts(object).size(), 1u);
  object.kernels[1].functions[0].cfg = "2"; // compiled in another way
  EXPECT_TRUE(functionCounts(object).empty());
}

profile::SampledFunction sampledBranch(double left, double right) {
  const auto of = [](double mean) {
    return profile::sampledOf({{{1000, uint64_t(1000 * mean)}, 1}}, false);
  };
  return {"f", "1", {of(64), of(left), of(right)}, {{0, {{1, of(left)}, {2, of(right)}}}}, {}};
}

TEST(Counts, OfSamplesAreBounds) {
  profile::Object object;
  object.kernels = {{"k", 1, 10, 0, {}, {{{}, 3000, {sampledBranch(64, 64)}}}},
                    {"l", 1, 20, 0, {}, {{{}, 3000, {sampledBranch(40, 40)}}}}};
  const profile::Branch one = functionCounts(object, "k").at("f").branches.at(0);
  EXPECT_EQ(one.executions, 1000u);
  EXPECT_LT(one.both(), 30u) << "never together";
  // Samples of two kernels have no common measure: the larger bound holds for both. 64 / 40 - 1.
  const profile::Branch all = functionCounts(object).at("f").branches.at(0);
  EXPECT_EQ(all.executions, 2000u);
  EXPECT_NEAR(double(all.both()), 2000 * 0.6, 200);
  // A bound of 1 says what nobody knowing says.
  object.kernels[1].sampled->functions[0] = sampledBranch(32, 32);
  EXPECT_TRUE(functionCounts(object).at("f").branches.empty());
  // Nor does a block without samples: it is not one that never ran.
  object.kernels[0].sampled->functions[0].blocks[0] = {};
  EXPECT_TRUE(functionCounts(object, "k").at("f").branches.empty());
}

TEST(Counts, GoOnlyToTheControlFlowThatWasCounted) {
  LLVMContext context;
  auto module = parse(context, switches);
  ASSERT_TRUE(module);
  Function &f = *module->getFunction("f");
  profile::Function counts{"f", controlFlowHash(f), std::vector<profile::Count>(4), {}, {}};
  profile::Branch branch;
  branch.block = 2;
  branch.edges.resize(2);
  counts.branches.push_back(branch);
  FunctionAnalysisManager analyses;
  const auto attached = [&] {
    auto use = std::make_shared<CountsUse>();
    AttachCountsPass(std::make_shared<FunctionCounts>(FunctionCounts{{"f", counts}}), use)
        .run(f, analyses);
    return use;
  };
  const Instruction &terminator = *std::next(f.begin(), 2)->getTerminator();
  counts.cfg[0] ^= 1;
  EXPECT_EQ(attached()->stale, std::set<std::string>{"f"});
  EXPECT_FALSE(passes::branchProfile(terminator));
  counts.cfg[0] ^= 1;
  EXPECT_EQ(attached()->branches, 1u);
  EXPECT_TRUE(passes::branchProfile(terminator));
}

TEST(Counts, GiveTheTripsOfLoops) {
  // Test first: 100 rounds of 10 entries are nine trips each. Inside, test last: twelve.
  profile::Function f{"k", "1", {{10, 640}, {100, 6400}, {1200, 76800}}, {}, {}};
  f.branches = {{1, {{2, {}}, {0, {}}}, true, 100}, {2, {{2, {}}, {1, {}}}, true, 1200}};
  f.loops = {{1, 1, 10, 100, 640, 6400}, {2, 2, 100, 1200, 6400, 76800}};
  const passes::RunFacts facts = runFacts({"k", 1, 10, 0.25, {f}});
  EXPECT_EQ(facts.trips, (std::vector<double>{9, 12}));
  EXPECT_DOUBLE_EQ(facts.wavesPerSimd, 0.25);
  EXPECT_DOUBLE_EQ(facts.tripsAt(1), 12);
  EXPECT_DOUBLE_EQ(facts.tripsAt(2), passes::loopTrips) << "deeper than anything counted";
  EXPECT_TRUE(runFacts({"k", 1, 10, 0, {}}).trips.empty());
  // Issued samples of a loop of four instructions, and of the one that goes in: ten trips.
  profile::SampledFunction sampled{
      "k", "1", {profile::sampledOf({{{4000, 4000}, 4}}, true)}, {}, {}};
  sampled.loops = {{0, 1, profile::sampledOf({{{100, 100}, 1}}, true)}};
  EXPECT_EQ(runFacts({"k", 1, 10, 0, {}, {{{}, 4100, {sampled}}}}).trips, std::vector<double>{10});
}

} // namespace
} // namespace meld::jit
