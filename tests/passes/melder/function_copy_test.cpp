#include "passes/melder/function_copy.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace llvm;
using meld::passes::FunctionCopy;

namespace {

const char *text = R"(
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) !reqd_work_group_size !0 {
entry:
  %c = icmp eq i32 %n, 0
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %v = phi i32 [ 1, %a ], [ %n, %entry ]
  store i32 %v, ptr addrspace(1) %p
  ret void
}
!0 = !{i32 64, i32 1, i32 1}
)";

std::string print(const Module &module) {
  std::string out;
  raw_string_ostream stream(out);
  module.print(stream, nullptr);
  return stream.str();
}

TEST(FunctionCopy, PutsBodyAndMetadataBack) {
  LLVMContext context;
  SMDiagnostic error;
  auto module = parseAssemblyString(text, error, context);
  ASSERT_TRUE(module);
  const std::string before = print(*module);
  Function &function = *module->getFunction("k");
  {
    FunctionCopy rollback(function, FunctionCopy::Use::rollback);
    EXPECT_EQ(print(*module), before) << "the copy must not be seen in the module";
    // A broken body: a store of a value that does not dominate it.
    Instruction *phi = &function.back().front();
    IRBuilder<> builder(&function.front().front());
    builder.CreateStore(phi, function.getArg(0));
    EXPECT_TRUE(verifyFunction(function));
    rollback.replaceBody();
  }
  EXPECT_FALSE(verifyModule(*module, &errs()));
  EXPECT_EQ(print(*module), before);
}

TEST(FunctionCopy, LeavesNothingBehindWhenNotUsed) {
  LLVMContext context;
  SMDiagnostic error;
  auto module = parseAssemblyString(text, error, context);
  ASSERT_TRUE(module);
  const std::string before = print(*module);
  { FunctionCopy rollback(*module->getFunction("k"), FunctionCopy::Use::rollback); }
  EXPECT_EQ(print(*module), before);
}

/// Both sides of the branch call the function itself (found by tests/e2e/programs/indirect_calls).
TEST(FunctionCopy, TakesRecursiveFunctions) {
  LLVMContext context;
  SMDiagnostic error;
  auto module = parseAssemblyString(R"(
define i32 @f(i32 %m) {
entry:
  %c = icmp eq i32 %m, 0
  br i1 %c, label %a, label %b
a:
  %x = call i32 @f(i32 1)
  br label %end
b:
  %y = call i32 @f(i32 2)
  br label %end
end:
  %r = phi i32 [ %x, %a ], [ %y, %b ]
  ret i32 %r
}
)",
                                    error, context);
  ASSERT_TRUE(module);
  const std::string before = print(*module);
  Function &function = *module->getFunction("f");
  { // dropped
    FunctionCopy rollback(function, FunctionCopy::Use::rollback);
    EXPECT_FALSE(verifyFunction(function, &errs()));
  }
  { // restored: the calls are the function's own again
    FunctionCopy rollback(function, FunctionCopy::Use::rollback);
    function.getEntryBlock().front().replaceAllUsesWith(ConstantInt::getTrue(context));
    function.getEntryBlock().front().eraseFromParent();
    rollback.replaceBody();
  }
  EXPECT_FALSE(verifyModule(*module, &errs()));
  EXPECT_EQ(print(*module), before);
}

} // namespace
