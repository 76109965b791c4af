#include "jit/device_libs.h"

#include "jit/comgr.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace meld::jit;

namespace {

std::unique_ptr<Module> parse(const char *text, LLVMContext &context) {
  SMDiagnostic problem;
  auto module = parseAssemblyString(text, problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  return module;
}

TEST(DeviceLibraries, whatIsMissingIsLinkedAndStaysInternal) {
  auto comgr = Comgr::get();
  ASSERT_TRUE(bool(comgr)) << toString(comgr.takeError());
  LLVMContext context;
  auto module = parse(R"(
    target triple = "amdgcn-amd-amdhsa"
    declare float @__ocml_sin_f32(float)
    declare i64 @__ockl_get_global_id(i32)
    declare float @somewhere_else(float)
    define float @helper(float %x) {
      %y = call float @__ocml_sin_f32(float %x)
      %i = call i64 @__ockl_get_global_id(i32 0)
      %z = call float @somewhere_else(float %y)
      ret float %z
    })",
                      context);
  ASSERT_TRUE(needsDeviceLibraries(*module));
  auto error = linkDeviceLibraries(*module, **comgr, "amdgcn-amd-amdhsa--gfx90a");
  const std::string message = toString(std::move(error));
  if (message.find("hands out no device libraries") != std::string::npos)
    GTEST_SKIP() << message;
  ASSERT_EQ(message, "");
  EXPECT_FALSE(needsDeviceLibraries(*module));
  for (const char *name : {"__ocml_sin_f32", "__ockl_get_global_id"}) {
    const Function *f = module->getFunction(name);
    ASSERT_TRUE(f) << name;
    EXPECT_FALSE(f->isDeclaration()) << name;
    EXPECT_TRUE(f->hasLocalLinkage()) << name;
  }
  EXPECT_FALSE(module->getFunction("helper")->hasLocalLinkage()) << "it was there before";
  EXPECT_TRUE(module->getFunction("somewhere_else")->isDeclaration());
  EXPECT_FALSE(module->getFunction("__ocml_cos_f32")) << "nobody needs it";
  EXPECT_FALSE(verifyModule(*module, &errs()));
}

TEST(DeviceLibraries, hipccsModulesNeedNone) {
  LLVMContext context;
  auto module = parse(R"(
    declare i32 @llvm.amdgcn.workitem.id.x()
    declare float @__ocml_sin_f32(float)
    declare float @somewhere_else(float)
    define i32 @f() {
      %i = call i32 @llvm.amdgcn.workitem.id.x()
      %x = call float @somewhere_else(float 1.0)
      ret i32 %i
    })",
                      context);
  EXPECT_FALSE(needsDeviceLibraries(*module)) << "a declaration without a use is nothing missing";
}

} // namespace
