// How often code is made of which kernel, and what a look at some of them alone may take for granted.
#include "jit/code_object.h"
#include "jit/compile.h"
#include "jit/cut.h"
#include "jit/units.h"
#include "passes/transform/fp_choices.h"
#include "tests/jit/recompile.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <nlohmann/json.hpp>

using namespace llvm;
using namespace meld::jit;
using namespace meld::jit::test;
namespace passes = meld::passes;
using Status = CompileReply::Status;

namespace {

struct Counted {
  CompileReply reply;
  std::map<std::string, unsigned> generated;
  unsigned rounds = 0, told = 0;
  double rest = -1; ///< what was to come, in compiles without our passes
};

Counted compiled(StringRef object) {
  Counted counted;
  CompileRequest r;
  r.codeObject = object;
  r.meld.without.insert("scalarize");
  r.meld.passes = "branch-fusion"; // finds something in `sides` alone
  r.plainTakes = [&](double milliseconds, double rest) {
    ++counted.told;
    EXPECT_GT(milliseconds, 0);
    counted.rest = rest / milliseconds;
  };
  counted.reply = compile(r);
  const auto json = nlohmann::json::parse(counted.reply.json);
  for (const auto &kernel : json["kernels"])
    counted.generated[kernel["name"]] = kernel["generated"];
  counted.rounds = json["timings"]["rounds"];
  return counted;
}

// Looked at alone, and then the object once, from what the look has optimised.
TEST(Rounds, AKernelWithoutSitesIsGeneratedOnce) {
  const auto made = compiled(codeObject("kept")->getBuffer());
  ASSERT_EQ(made.reply.status, Status::replaced) << made.reply.reason;
  EXPECT_EQ(made.generated,
            (std::map<std::string, unsigned>{{"longestMatch", 1}, {"sides", 2}, {"window", 1}}));
  EXPECT_EQ(made.rounds, 1u);
  EXPECT_EQ(made.told, 1u);
  EXPECT_GT(made.rest, 0); // the others' code
  EXPECT_LT(made.rest, 1);
}

TEST(Rounds, WhereNothingComesOfItTheOthersAreNotGeneratedAtAll) {
  const auto made = compiled(withMoreWork("kept", "sides", 600));
  ASSERT_EQ(made.reply.status, Status::unchanged);
  EXPECT_NE(made.reply.reason.find("sides: estimated cycles "), std::string::npos)
      << made.reply.reason;
  EXPECT_EQ(made.generated.at("longestMatch"), 0u);
  EXPECT_EQ(made.generated.at("window"), 0u);
  EXPECT_GE(made.generated.at("sides"), 1u);
  EXPECT_EQ(made.told, 1u);
}

TEST(Rounds, WhereNothingChangesNoCodeIsMade) {
  CompileRequest r;
  auto file = codeObject("kept");
  r.codeObject = file->getBuffer();
  r.meld.without.insert("scalarize");
  r.meld.passes = "switch";
  bool told = false;
  r.plainTakes = [&](double, double) { told = true; };
  const auto reply = compile(r);
  ASSERT_EQ(reply.status, Status::unchanged);
  const auto json = nlohmann::json::parse(reply.json);
  for (const auto &kernel : json["kernels"])
    EXPECT_EQ(kernel["generated"], 0) << kernel["name"];
  EXPECT_FALSE(told) << "it is over";
}

constexpr const char *threeKernels = R"(
  @shared = internal addrspace(1) global i32 7
  @constant = internal addrspace(4) constant i32 8
  @mine = internal addrspace(1) global i32 9
  @other = internal addrspace(1) global i32 10
  define internal i32 @h() {
    %v = load i32, ptr addrspace(1) @shared
    ret i32 %v
  }
  define internal float @i(float %a, float %b) {
    %m = fmul contract float %a, %b
    %s = fadd contract float %m, %b
    ret float %s
  }
  define amdgpu_kernel void @a(ptr addrspace(1) %p) {
    store i32 1, ptr addrspace(1) @shared
    store i32 1, ptr addrspace(1) @other
    ret void
  }
  define amdgpu_kernel void @b(ptr addrspace(1) %p) {
    %v = call i32 @h()
    %c = load i32, ptr addrspace(4) @constant
    %s = add i32 %v, %c
    store i32 %s, ptr addrspace(1) @mine
    store i32 %s, ptr addrspace(1) %p
    ret void
  }
  define amdgpu_kernel void @c(ptr addrspace(1) %p, float %x) {
    %v = call float @i(float %x, float %x)
    store float %v, ptr addrspace(1) %p
    ret void
  }
)";

struct Parsed {
  LLVMContext context;
  std::unique_ptr<Module> module;
  explicit Parsed(const char *text) {
    SMDiagnostic error;
    module = parseAssemblyString(text, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
  }
};

std::set<std::string> namesOf(const Module &module) {
  std::set<std::string> names;
  for (const GlobalValue &value : module.global_values())
    names.insert(value.getName().str());
  return names;
}

TEST(Cut, LeavesTheKernelAndWhatItReaches) {
  Parsed parsed(threeKernels);
  EXPECT_TRUE(cutDown(*parsed.module, {"b"}, false)) << "the sum of i, which c calls";
  EXPECT_FALSE(verifyModule(*parsed.module, &errs()));
  EXPECT_EQ(namesOf(*parsed.module),
            (std::set<std::string>{"b", "h", "shared", "constant", "mine", "llvm.compiler.used"}));
  // What a writes: the optimiser must not take it for the constant that it would be without a.
  const auto *held =
      cast<ConstantArray>(parsed.module->getNamedGlobal("llvm.compiler.used")->getInitializer());
  ASSERT_EQ(held->getNumOperands(), 1u);
  EXPECT_EQ(held->getOperand(0)->stripPointerCasts()->getName(), "shared");
}

TEST(Cut, SaysWhetherWhatIsGoneLeavesFloatingPointChoices) {
  EXPECT_TRUE(cutDown(*Parsed(threeKernels).module, {"a"}, false));
  EXPECT_FALSE(cutDown(*Parsed(threeKernels).module, {"c"}, false));
  Parsed all(threeKernels);
  const auto before = namesOf(*all.module);
  EXPECT_FALSE(cutDown(*all.module, {"a", "b", "c"}, false));
  EXPECT_EQ(namesOf(*all.module), before);
}

/// FpSettling's number of the one kernel in it.
uint64_t numberOf(const std::string &body) {
  Parsed parsed(("target triple = \"amdgcn-amd-amdhsa\"\n"
                 "define amdgpu_kernel void @k(ptr %p, float %x) {\n" +
                 body + "}\n")
                    .c_str());
  auto settling = passes::FpSettling::everywhere();
  FunctionAnalysisManager analyses;
  passes::SettleFpPass(settling, passes::Point::late)
      .run(*parsed.module->getFunction("k"), analyses);
  const auto numbers = settling->settledFunctions();
  EXPECT_EQ(numbers.size(), 1u);
  return numbers.empty() ? 0 : numbers.begin()->second;
}

// A proof about one function is used for another compile of it. What the values are called there
// depends on what else was inlined elsewhere.
TEST(Settled, FunctionsAreKnownAgainByWhatTheyDo) {
  const std::string plain = "  %a = fmul contract float %x, %x\n"
                            "  br label %next\n"
                            "next:\n"
                            "  %b = fadd contract float %a, %x\n"
                            "  store float %b, ptr %p\n"
                            "  ret void\n";
  auto with = [&](const std::string &from, const std::string &to) {
    std::string text = plain;
    size_t at = text.find(from);
    for (; at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
    return numberOf(text);
  };
  const uint64_t number = numberOf(plain);
  EXPECT_EQ(with("%a", "%.val17.cast"), number);
  EXPECT_EQ(with("next", "z.1"), number);
  EXPECT_EQ(with("%b", "%\"b c\""), number);
  EXPECT_NE(with("%b = fadd contract float %a, %x", "%b = fadd contract float %x, %x"), number);
  EXPECT_NE(with("fadd", "fmul"), number);
  EXPECT_NE(with("store float %b", "store float %a"), number);
}

} // namespace
