// The passes inside a real -O3 pipeline, through the same door as jit/ uses.
#include "passes/pipeline.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace llvm;
using meld::passes::DecisionLog;
using meld::passes::MeldOptions;

namespace {

// A divergent diamond (or, with "%n", one on an argument).
std::string diamond(const std::string &compared) {
  return R"(
target datalayout = "e-p:64:64-p1:64:64-p3:32:32-p5:32:32-A5-G1"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 )" +
         compared + R"(, 1
  %c = icmp eq i32 %bit, 0
  %pt = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %qt = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  br i1 %c, label %left, label %right
left:
  %l = load i32, ptr addrspace(1) %pt
  %l1 = mul i32 %l, %l
  %l2 = xor i32 %l1, 77
  store i32 %l2, ptr addrspace(1) %pt
  br label %join
right:
  %r = load i32, ptr addrspace(1) %qt
  %r1 = mul i32 %r, %r
  %r2 = xor i32 %r1, 99
  store i32 %r2, ptr addrspace(1) %qt
  br label %join
join:
  ret void
})";
}

struct Compile {
  LLVMContext context;
  std::unique_ptr<Module> module;
  DecisionLog log;

  void optimize(const std::string &text, const MeldOptions *options) {
    SMDiagnostic error;
    module = parseAssemblyString(text, error, context);
    ASSERT_TRUE(module) << error.getMessage().str();
    PassBuilder builder;
    if (options)
      meld::passes::registerMeldCallbacks(builder, *options, &log);
    LoopAnalysisManager loops;
    FunctionAnalysisManager functions;
    CGSCCAnalysisManager components;
    ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3).run(*module, modules);
    EXPECT_FALSE(verifyModule(*module, &errs()));
  }

  std::string text() const {
    std::string out;
    raw_string_ostream stream(out);
    module->print(stream, nullptr);
    return stream.str();
  }

  unsigned count(unsigned opcode) const {
    unsigned found = 0;
    for (const BasicBlock &block : *module->getFunction("kernel"))
      for (const Instruction &instruction : block)
        found += instruction.getOpcode() == opcode;
    return found;
  }
};

TEST(Pipeline, MeldsADivergentDiamondAndSaysSo) {
  Compile run;
  MeldOptions options;
  run.optimize(diamond("%tid"), &options);
  EXPECT_EQ(run.count(Instruction::Mul), 1u);
  EXPECT_EQ(run.log.meldedCount(), 1u);
  for (const auto &decision : run.log.entries())
    if (decision.melded) {
      EXPECT_EQ(decision.kernel, "kernel");
      EXPECT_GT(decision.profit, 0.0);
      EXPECT_EQ(decision.point, meld::passes::Point::early);
    }
}

TEST(Pipeline, LeavesAUniformBranchByteForByte) {
  Compile plain, melded;
  MeldOptions options;
  plain.optimize(diamond("%n"), nullptr);
  melded.optimize(diamond("%n"), &options);
  EXPECT_EQ(plain.text(), melded.text());
  EXPECT_EQ(melded.log.meldedCount(), 0u);
  ASSERT_FALSE(melded.log.entries().empty());
  EXPECT_NE(melded.log.entries().front().reason.find("does not diverge"), std::string::npos);
}

// -fpass-plugin without -Xarch_device: the same branch, in a function of the host.
TEST(Pipeline, LeavesTheHostsModuleByteForByte) {
  std::string host = diamond("%tid");
  const std::string gpu = "amdgcn-amd-amdhsa";
  host.replace(host.find(gpu), gpu.size(), "x86_64-unknown-linux-gnu");
  Compile plain, melded;
  MeldOptions options;
  plain.optimize(host, nullptr);
  melded.optimize(host, &options);
  EXPECT_EQ(plain.text(), melded.text());
  EXPECT_TRUE(melded.log.entries().empty());
}

// The branch inside of @helper is as uniform as what the kernel passes for its %n.
std::string calling(const std::string &linkage, const std::string &attributes,
                    const std::string &passed) {
  return R"(
target datalayout = "e-p:64:64-p1:64:64-p3:32:32-p5:32:32-A5-G1"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
define )" +
         linkage + R"( void @helper(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) )" +
         attributes + R"( {
  %bit = and i32 %n, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = load i32, ptr addrspace(1) %p
  %l1 = mul i32 %l, %l
  %l2 = xor i32 %l1, 77
  store i32 %l2, ptr addrspace(1) %p
  br label %join
right:
  %r = load i32, ptr addrspace(1) %q
  %r1 = mul i32 %r, %r
  %r2 = xor i32 %r1, 99
  store i32 %r2, ptr addrspace(1) %q
  br label %join
join:
  ret void
}
define amdgpu_kernel void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %pt = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %qt = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  call void @helper(ptr addrspace(1) %pt, ptr addrspace(1) %qt, i32 )" +
         passed + R"()
  ret void
})";
}

TEST(Pipeline, AFunctionIsLeftAloneWhereItsCallersPassWhatIsUniform) {
  for (const auto &[linkage, attributes] :
       {std::pair("internal", ""), std::pair("linkonce_odr hidden", "alwaysinline")}) {
    Compile plain, melded;
    MeldOptions options;
    options.late = false; // what is left of @helper itself is another matter
    plain.optimize(calling(linkage, attributes, "%n"), nullptr);
    melded.optimize(calling(linkage, attributes, "%n"), &options);
    EXPECT_EQ(plain.text(), melded.text()) << linkage;
    EXPECT_EQ(melded.log.meldedCount(), 0u);
    EXPECT_EQ(melded.count(Instruction::Mul), plain.count(Instruction::Mul));
  }
}

TEST(Pipeline, AFunctionIsMeldedBeforeItIsInlinedWhereItDiverges) {
  for (const char *attributes : {"", "noinline"}) {
    Compile run;
    MeldOptions options;
    options.late = false;
    run.optimize(calling("internal", attributes, "%tid"), &options);
    ASSERT_EQ(run.log.meldedCount(), 1u);
    EXPECT_EQ(run.log.entries().front().kernel, "helper");
  }
}

TEST(Pipeline, NoneIsPlainO3) {
  Compile plain, none;
  MeldOptions options;
  options.passes = "none";
  plain.optimize(diamond("%tid"), nullptr);
  none.optimize(diamond("%tid"), &options);
  EXPECT_EQ(plain.text(), none.text());
}

TEST(Pipeline, ExcludedKernelAndHighThresholdStay) {
  Compile plain, excluded, threshold;
  plain.optimize(diamond("%tid"), nullptr);
  MeldOptions options;
  options.kernelExclude = "kern";
  excluded.optimize(diamond("%tid"), &options);
  EXPECT_EQ(plain.text(), excluded.text());
  MeldOptions high;
  high.minProfit = 99;
  threshold.optimize(diamond("%tid"), &high);
  EXPECT_EQ(plain.text(), threshold.text());
  EXPECT_EQ(threshold.log.meldedCount(), 0u);
}

} // namespace
