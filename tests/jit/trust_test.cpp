// MELD_TRUST=verify: bitcode that is not the code's own.
#include "jit/compile.h"
#include "jit/trust.h"
#include "tests/jit/recompile.h"

using namespace llvm;
using namespace meld::jit;
using namespace meld::jit::test;

namespace {

CompileReply replyFor(StringRef elf, const char *passes = "", bool verify = true) {
  CompileRequest request;
  request.codeObject = elf;
  request.meld.passes = passes;
  request.trust = verify ? Trust::verify : Trust::interface;
  return compile(request);
}

std::string section(const char *object, StringRef name) {
  const auto file = codeObject(object);
  return cantFail(sectionBytes(*file, name)).str();
}

TEST(Trust, WhatHipccMadeIsMeldedAsWithout) {
  for (const char *name : {"diamond-gfx90a", "bitonic-gfx900", "reduce-fast", "mixed"}) {
    const auto file = codeObject(name);
    const CompileReply with = replyFor(file->getBuffer()),
                       without = replyFor(file->getBuffer(), "", false);
    EXPECT_EQ(int(with.status), int(without.status)) << name << ": " << with.reason;
    EXPECT_EQ(with.reason, without.reason) << name;
    EXPECT_TRUE(with.bytes == without.bytes) << name;
  }
}

// The same kernels with the same interface, compiled from other bitcode.
TEST(Trust, ExchangedBitcodeIsFound) {
  for (const char *other : {"reduce-fast", "reduce-O2"}) {
    const std::string forged =
        withSection(codeObject("reduce-gfx90a")->getBuffer(), ".llvmbc", section(other, ".llvmbc"));
    EXPECT_NE(int(replyFor(forged, "none", false).status), int(CompileReply::Status::failed));
    for (const char *passes : {"", "none"}) {
      const CompileReply reply = replyFor(forged, passes);
      if (section("reduce-gfx90a", ".llvmbc") == section(other, ".llvmbc"))
        continue;
      EXPECT_EQ(int(reply.status), int(CompileReply::Status::unchanged)) << other;
      EXPECT_TRUE(reply.permanent);
      EXPECT_EQ(reply.reason.rfind("untrusted: recompiled code differs at ", 0), 0u)
          << reply.reason;
    }
  }
}

TEST(Trust, WithoutOptionsNothingIsKnown) {
  const auto file = codeObject("reduce-nocmd");
  EXPECT_EQ(replyFor(file->getBuffer()).reason,
            "untrusted: the options that the code was compiled with are not known (no .llvmcmd)");
}

// Where the linker put what is not in the command lines.
TEST(Trust, ADeviceLinkIsNotKnown) {
  const auto file = codeObject("rdc");
  const std::string reason = replyFor(file->getBuffer()).reason;
  EXPECT_NE(reason.find("in a way that is not recorded"), std::string::npos) << reason;
}

// Every byte of code, descriptors and constants counts, and is named.
TEST(Trust, EveryByteThatTheGpuSees) {
  const auto file = codeObject("diamond-gfx90a");
  const std::string original = file->getBuffer().str();
  EXPECT_EQ(cantFail(firstDifference(*file, *file)), "");
  for (const char *name : {".text", ".rodata"}) {
    const StringRef bytes = cantFail(sectionBytes(*file, name));
    const size_t from = size_t(bytes.data() - file->getBufferStart());
    for (size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 50) {
      std::string changed = original;
      changed[from + at] ^= 1;
      auto found = firstDifference(MemoryBufferRef(original, ""), MemoryBufferRef(changed, ""));
      ASSERT_TRUE(bool(found)) << errorOf(found);
      EXPECT_EQ(found->rfind("recompiled code differs at ", 0), 0u) << *found;
    }
  }
}

} // namespace
