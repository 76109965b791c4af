// Fingerprints of functions: the same text has the same one, and each difference that our passes
// could see makes another.
#include "passes/melder/fingerprint.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace meld::passes;

namespace {

const char *const plain = R"(
declare void @one(i32)
declare void @two(i32)
define void @f(ptr addrspace(1) %p, i32 %x, i32 %y) {
entry:
  %sum = add nsw i32 %x, %y
  %less = icmp slt i32 %sum, 7
  br i1 %less, label %left, label %right
left:
  %a = getelementptr inbounds i32, ptr addrspace(1) %p, i32 %x
  %l = load i32, ptr addrspace(1) %a, align 4
  br label %join
right:
  %b = atomicrmw add ptr addrspace(1) %p, i32 %y syncscope("agent") monotonic, align 4
  br label %join
join:
  %v = phi i32 [ %l, %left ], [ %b, %right ]
  %pair = shufflevector <2 x i32> <i32 1, i32 2>, <2 x i32> undef, <2 x i32> <i32 1, i32 0>
  %e = extractelement <2 x i32> %pair, i32 %v
  store i32 %e, ptr addrspace(1) %p, align 4
  call void @one(i32 %v)
  ret void
}
)";

std::string with(StringRef from, StringRef to) {
  std::string text = plain;
  const size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos) << from.str();
  return text.replace(at, from.size(), to.str());
}

class Fingerprints : public testing::Test {
protected:
  // Modules stay: what goes in by address must not be reused.
  uint64_t of(const std::string &text) {
#if LLVM_VERSION_MAJOR < 17
    context_.setOpaquePointers(true);
#endif
    SMDiagnostic error;
    modules_.push_back(parseAssemblyString(text, error, context_));
    EXPECT_NE(modules_.back(), nullptr) << error.getMessage().str();
    return modules_.back() ? fingerprintOf(*modules_.back()->getFunction("f")) : 0;
  }

  // Of the plain function and, beside it in one module, of its changed text.
  std::pair<uint64_t, uint64_t> ofBoth(const std::string &changed) {
    std::string other = changed.substr(changed.find("define"));
    other.replace(other.find("@f("), 3, "@g(");
    const uint64_t first = of(plain + other);
    return {first, fingerprintOf(*modules_.back()->getFunction("g"))};
  }

  LLVMContext context_;
  std::vector<std::unique_ptr<Module>> modules_;
};

TEST_F(Fingerprints, NamesDoNotCount) {
  // A function without callees: those are told apart by identity, and each text has its own.
  const std::string text = "define i32 @f(i32 %x) {\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n";
  const std::string renamed = "define i32 @f(i32 %a) {\n  %b = add i32 %a, 1\n  ret i32 %b\n}\n";
  EXPECT_EQ(of(text), of(text));
  EXPECT_EQ(of(text), of(renamed));
}

TEST_F(Fingerprints, TheSameFunctionKeepsItsOwn) {
  const uint64_t first = of(plain);
  EXPECT_EQ(first, fingerprintOf(*modules_.back()->getFunction("f")));
}

TEST_F(Fingerprints, EachDifferenceCounts) {
  // Callees and metadata go in by address, so each text is compared within one module: the changed
  // function stands beside the plain one.
  const std::pair<const char *, const char *> changes[] = {
      {"add nsw", "add nuw"},
      {"add nsw", "sub nsw"},
      {"%sum = add nsw i32 %x, %y", "%sum = sub nsw i32 %y, %x"},
      {"slt", "ult"},
      {"%sum, 7", "%sum, 8"},
      {"label %left, label %right", "label %right, label %left"},
      {"getelementptr inbounds", "getelementptr"},
      {"inbounds i32, ptr", "inbounds i64, ptr"},
      {"load i32", "load volatile i32"},
      {"%a, align 4", "%a, align 8"},
      {"atomicrmw add", "atomicrmw xor"},
      {"\"agent\"", "\"workgroup\""},
      {"monotonic", "seq_cst"},
      {"[ %l, %left ], [ %b, %right ]", "[ %b, %right ], [ %l, %left ]"},
      {"<i32 1, i32 0>\n", "<i32 0, i32 1>\n"},
      {"store i32 %e", "store volatile i32 %e"},
      {"call void @one", "call void @two"},
      {"call void @one(i32 %v)", "call void @one(i32 %v) convergent"},
      {"align 4\n  br label %join\nright",
       "align 4, !range !{i32 0, i32 9}\n  br label %join\nright"},
  };
  for (const auto &[from, to] : changes) {
    const auto [before, after] = ofBoth(with(from, to));
    EXPECT_NE(before, after) << from << " -> " << to;
  }
  const std::pair<const char *, const char *> nothing[] = {
      {"%x, %y\n  %less", "%y, %x\n  %less"},
      {"call void", "tail call void"},
      {"%less", "%less"},
  };
  for (const auto &[from, to] : nothing) {
    const auto [before, after] = ofBoth(with(from, to));
    EXPECT_EQ(before, after) << from << " -> " << to;
  }
}

// A region below a branch, in two functions that differ elsewhere.
class RegionFingerprints : public Fingerprints {
protected:
  static constexpr char region[] = R"(
  br i1 %c, label %left, label %right
left:
  %l = add i32 %x, %y
  %used = mul i32 %l, 3
  br label %join
right:
  %r = sub i32 %x, %x
  br label %join
join:
  %v = phi i32 [ %used, %left ], [ %r, %right ]
  ret i32 %v
}
)";

  uint64_t ofRegion(const std::string &above, const std::string &below, uint64_t aboutAll = 0) {
#if LLVM_VERSION_MAJOR < 17
    context_.setOpaquePointers(true);
#endif
    SMDiagnostic error;
    modules_.push_back(parseAssemblyString(
        "define i32 @f(i32 %x, i32 %y, i1 %c) {\nhead:\n" + above + below, error, context_));
    EXPECT_NE(modules_.back(), nullptr) << error.getMessage().str();
    if (!modules_.back())
      return 0;
    Function &function = *modules_.back()->getFunction("f");
    std::vector<BasicBlock *> blocks;
    for (BasicBlock &block : function)
      if (block.getName() == "left" || block.getName() == "right")
        blocks.push_back(&block);
    EXPECT_EQ(blocks.size(), 2u);
    return fingerprintOf(function.getEntryBlock(), blocks, [&](const Value &) { return aboutAll; });
  }

  static std::string changed(const std::string &from, const std::string &to) {
    std::string text = region;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }
};

TEST_F(RegionFingerprints, WhatIsElsewhereDoesNotCount) {
  const uint64_t plainly = ofRegion("", region);
  EXPECT_EQ(plainly, ofRegion("  %z = add i32 %x, 77\n", region));
  EXPECT_EQ(plainly, ofRegion("", changed("ret i32 %v", "%w = add i32 %v, 1\n  ret i32 %w")));
}

TEST_F(RegionFingerprints, EachDifferenceInsideCounts) {
  const uint64_t plainly = ofRegion("", region);
  EXPECT_NE(plainly, ofRegion("", changed("%l, 3", "%l, 5")));
  EXPECT_NE(plainly,
            ofRegion("", changed("label %left, label %right", "label %right, label %left")));
  // Which values from elsewhere are one and the same.
  EXPECT_NE(plainly, ofRegion("", changed("sub i32 %x, %x", "sub i32 %x, %y")));
  EXPECT_NE(plainly, ofRegion("", changed("add i32 %x, %y", "add i32 %x, %x")));
  // Another value of the region is used behind it.
  EXPECT_NE(plainly, ofRegion("", changed("[ %used, %left ]", "[ %l, %left ]")));
}

TEST_F(RegionFingerprints, WhatIsSaidOfValuesFromElsewhereCounts) {
  EXPECT_NE(ofRegion("", region, 1), ofRegion("", region, 2));
}

} // namespace
