// Which functions leave floating point to the compiler's choice, who may be changed because of it,
// and that nothing is left open once it is settled. What code generation would choose is in
// tests/lit/settle-fp.
#include "passes/transform/fp_choices.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace meld::passes;

namespace {

struct Parsed {
  LLVMContext context;
  std::unique_ptr<Module> module;
  explicit Parsed(const std::string &text) {
    SMDiagnostic error;
    module = parseAssemblyString("target triple = \"amdgcn-amd-amdhsa\"\n" + text, error, context);
    EXPECT_NE(module, nullptr) << error.getMessage().str();
  }
  Function &operator[](const char *name) { return *module->getFunction(name); }
  std::string text(const char *name) {
    std::string out;
    raw_string_ostream stream(out);
    module->getFunction(name)->print(stream);
    return stream.str();
  }
};

/// A kernel of one block. Its attributes are #0.
std::string kernel(const std::string &body, const std::string &attributes = "") {
  return "declare float @llvm.fmuladd.f32(float, float, float)\n"
         "define amdgpu_kernel void @k(ptr addrspace(1) %p, float %a, float %b, float %c) #0 {\n" +
         body +
         "  store float %s, ptr addrspace(1) %p\n  ret void\n}\nattributes #0 = { nounwind " +
         attributes + " }\n!0 = !{float 2.5}\n";
}

const std::string fused = "  %m = fmul contract float %a, %b\n  %s = fadd contract float %m, %c\n";

struct Case {
  const char *what;
  std::string body, attributes;
  bool choices, choicesIfAllContracts;
};

TEST(FpChoices, WhatLeavesThem) {
  const Case cases[] = {
      {"no flag", "  %m = fmul float %a, %b\n  %s = fadd float %m, %c\n", "", false, true},
      {"one operation alone", "  %s = fadd contract float %a, %c\n", "", false, false},
      {"two that contract", fused, "", true, true},
      {"an approximate function", "  %s = fdiv arcp float %a, %c\n", "", true, true},
      {"no accuracy asked for", "  %s = fdiv float %a, %c, !fpmath !0\n", "", true, true},
      {"product and sum in one",
       "  %s = call float @llvm.fmuladd.f32(float %a, float %b, float %c)\n", "", true, true},
      {"the whole function", "  %s = fadd float %a, %c\n", "\"unsafe-fp-math\"=\"true\"", true,
       true},
      {"the whole function, denied", "  %s = fadd float %a, %c\n", "\"unsafe-fp-math\"=\"false\"",
       false, false},
  };
  for (const Case &one : cases) {
    Parsed parsed(kernel(one.body, one.attributes));
    EXPECT_EQ(leavesFpChoices(parsed["k"]), one.choices) << one.what;
    EXPECT_EQ(leavesFpChoices(parsed["k"], /*contractAll=*/true), one.choicesIfAllContracts)
        << one.what;
    settleFpChoices(parsed["k"], /*contractAll=*/true);
    EXPECT_FALSE(leavesFpChoices(parsed["k"], /*contractAll=*/true)) << one.what;
    const std::string text = parsed.text("k");
    for (const char *loose : {" contract", " arcp", "!fpmath"})
      EXPECT_EQ(text.find(loose), std::string::npos) << one.what << ": " << text;
    EXPECT_FALSE(parsed["k"].hasFnAttribute("unsafe-fp-math")) << one.what;
  }
}

SettleFpPass passAt(const std::shared_ptr<FpSettling> &settling, Point point) {
  return SettleFpPass(settling, point);
}

TEST(FpChoices, AreMadeWhereTheyAreDue) {
  FunctionAnalysisManager none;
  Parsed parsed(kernel(fused));
  const auto settling = FpSettling::at({{"k", Point::late}});
  passAt(settling, Point::early).run(parsed["k"], none);
  EXPECT_TRUE(leavesFpChoices(parsed["k"]));
  EXPECT_FALSE(settling->mayChange(parsed["k"]));
  passAt(settling, Point::late).run(parsed["k"], none);
  EXPECT_FALSE(leavesFpChoices(parsed["k"]));
  EXPECT_TRUE(settling->mayChange(parsed["k"]));
  EXPECT_EQ(settling->settledFunctions().count("k"), 1u);
  EXPECT_TRUE(settling->openFunctions().empty());

  Parsed other(kernel(fused));
  const auto nobody = FpSettling::at({});
  passAt(nobody, Point::late).run(other["k"], none);
  EXPECT_TRUE(leavesFpChoices(other["k"]));
  EXPECT_FALSE(nobody->mayChange(other["k"]));
  EXPECT_EQ(nobody->openFunctions().count("k"), 1u);
}

// The same function has the same number in each compile, another one has another.
TEST(FpChoices, ASettledFunctionIsKnownByItsNumber) {
  FunctionAnalysisManager none;
  const auto numberOf = [&](const std::string &text) {
    Parsed parsed(text);
    const auto settling = FpSettling::everywhere();
    passAt(settling, Point::early).run(parsed["k"], none);
    return settling->settledFunctions().at("k");
  };
  const std::string numbers = "!5 = !{float 2.0}\n!6 = !{float 3.0}\n!named = !{!5, !6}\n";
  EXPECT_EQ(numberOf(kernel(fused)), numberOf(numbers + kernel(fused)));
  EXPECT_NE(numberOf(kernel(fused)), numberOf(kernel("  %m = fmul contract float %a, %c\n"
                                                     "  %s = fadd contract float %m, %b\n")));
}

// Nothing else is done in a compile that proves a settling.
TEST(FpChoices, NobodyIsChangedWhileASettlingIsProven) {
  Parsed parsed(kernel("  %s = fadd float %a, %c\n"));
  const auto settling = FpSettling::everywhere();
  EXPECT_TRUE(settling->mayChange(parsed["k"]));
  settling->only = true;
  EXPECT_FALSE(settling->mayChange(parsed["k"]));
}

// What keeps a negation in its loop for the proof is in nobody's way behind it.
TEST(FpChoices, AnnotationsAreForTheProofAlone) {
  FunctionAnalysisManager none;
  const std::string loop = "define amdgpu_kernel void @k(ptr %p, float %a) {\n"
                           "  br label %loop\n"
                           "loop:\n"
                           "  %x = load volatile float, ptr %p\n"
                           "  %m = fmul contract float %a, %x\n"
                           "  %s = fsub contract float %x, %m\n"
                           "  store float %s, ptr %p\n"
                           "  br label %loop\n}\n";
  const auto settled = [&](bool only) {
    Parsed parsed(loop);
    const auto settling = FpSettling::everywhere();
    settling->only = only;
    passAt(settling, Point::late).run(parsed["k"], none);
    return std::pair(parsed.text("k"), settling->settledFunctions().at("k"));
  };
  const auto proof = settled(true), version = settled(false);
  EXPECT_NE(proof.first.find("@llvm.annotation"), std::string::npos) << proof.first;
  EXPECT_EQ(version.first.find("@llvm.annotation"), std::string::npos) << version.first;
  EXPECT_NE(version.first.find("fneg"), std::string::npos) << version.first;
  EXPECT_EQ(proof.second, version.second);
}

// What is going to be inlined becomes part of its callers, and they are settled behind inlining.
TEST(FpChoices, FunctionsThatGoIntoOpenOnesWait) {
  const std::string callee = "define internal float @f(float %x) {\n"
                             "  %y = fadd float %x, 1.0\n  ret float %y\n}\n";
  const std::string call = "  %v = call float @f(float %a)\n";
  Parsed open(callee + kernel(call + "  %m = fmul contract float %v, %b\n"
                                     "  %s = fadd contract float %m, %c\n"));
  const auto settling = FpSettling::everywhere();
  EXPECT_FALSE(settling->mayChange(open["f"]));
  FunctionAnalysisManager none;
  passAt(settling, Point::early).run(open["k"], none); // a call is still to come
  EXPECT_TRUE(leavesFpChoices(open["k"]));
  EXPECT_TRUE(awaitsInlining(open["k"]));
  passAt(settling, Point::late).run(open["k"], none);
  EXPECT_FALSE(leavesFpChoices(open["k"]));

  Parsed closed(callee + kernel(call + "  %s = fadd float %v, %c\n"));
  EXPECT_TRUE(FpSettling::everywhere()->mayChange(closed["f"]));
}

} // namespace
