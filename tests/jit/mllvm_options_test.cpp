// Options of one object's compile stay that compile's.
#include "jit/compile.h"
#include "jit/mllvm_options.h"
#include "tests/jit/recompile.h"

#include "llvm/Support/CommandLine.h"

using namespace llvm;
using namespace meld::jit;
using namespace meld::jit::test;

namespace {

const char *const plainObject = "reduce-gfx90a";

std::string withArguments(StringRef elf, const std::vector<std::string> &more) {
  std::string line = cantFail(sectionBytes(MemoryBufferRef(elf, ""), ".llvmcmd")).str();
  for (const std::string &argument : more)
    line += argument + '\0';
  return withSection(elf, ".llvmcmd", line);
}

std::string codeOf(StringRef elf) {
  auto made = recompile(MemoryBufferRef(elf, "object"), false);
  return made ? cantFail(sectionBytes(*made->bytes, ".text")).str() : errorOf(made);
}

CompileReply replyFor(const std::string &elf) {
  CompileRequest request;
  request.codeObject = elf;
  request.meld.passes = "none";
  return compile(request);
}

TEST(MllvmOptions, EachOfThemLeavesLaterCompilesAlone) {
  initializeTargets();
  const auto file = codeObject(plainObject);
  const std::string elf = file->getBuffer().str(), before = codeOf(elf);
  EXPECT_TRUE(before == cantFail(sectionBytes(*file, ".text")));
  unsigned known = 0, changing = 0;
  for (const MllvmOption &option : repeatedMllvmOptions()) {
    if (!cl::getRegisteredOptions().count(option.name))
      continue;
    ++known;
    const std::string text =
        std::string("-") + option.name + (*option.example ? "=" : "") + option.example;
    EXPECT_EQ(int(repeatMllvm(text)), int(Repeat::yes)) << text;
    EXPECT_EQ(int(repeatMllvm("-" + text)), int(Repeat::yes)) << text;
    const std::string with = codeOf(withArguments(elf, {"-mllvm", text}));
    changing += with != before;
    EXPECT_TRUE(codeOf(elf) == before) << text;
  }
  EXPECT_GT(known, 8u);
  EXPECT_GT(changing, 1u) << "none of them had an effect to begin with";
}

TEST(MllvmOptions, WhatIsNotOnTheListMeansTheOriginal) {
  initializeTargets();
  const std::string elf = codeObject(plainObject)->getBuffer().str(), before = codeOf(elf);
  for (const char *option :
       {"-opt-bisect-limit=3", "-regalloc=fast", "-regalloc=help", "-global-isel", "-fast-isel",
        "-debug-counter=dce-transform-skip=1", "-stop-after=finalize-isel", "-start-after=isel",
        "-enable-machine-outliner", "-disable-licm-promotion", "@options", "3", "", "-", "--",
        "-load=x.so", "-info-output-file=x", "-amdgpu-early-inline-allx", "-a=b=c"}) {
    EXPECT_EQ(int(repeatMllvm(option)), int(Repeat::refuse)) << option;
    const CompileReply reply = replyFor(withArguments(elf, {"-mllvm", option}));
    EXPECT_EQ(int(reply.status), int(CompileReply::Status::failed)) << option;
    EXPECT_TRUE(reply.permanent) << option;
    EXPECT_NE(reply.reason.find(".llvmcmd"), std::string::npos) << reply.reason;
  }
  EXPECT_TRUE(codeOf(elf) == before);
}

// Passes that clang adds to its pipeline for them are not in ours.
TEST(MllvmOptions, InstrumentedCodeIsNotRecompiledWithoutItsInstruments) {
  const std::string elf = codeObject(plainObject)->getBuffer().str();
  for (const char *option :
       {"-fsanitize=address", "-fprofile-instrument=clang", "-fpass-plugin=x.so",
        "-fsanitize-coverage-type=3", "-fcoverage-mapping", "-fcoverage-mcdc"}) {
    const CompileReply reply = replyFor(withArguments(elf, {option}));
    EXPECT_EQ(int(reply.status), int(CompileReply::Status::failed)) << option;
    EXPECT_NE(reply.reason.find(option), std::string::npos) << reply.reason;
  }
}

// clang 18 and later name the folder for every compile.
TEST(MllvmOptions, AFolderIsNoInstrument) {
  const std::string elf = codeObject(plainObject)->getBuffer().str();
  const CompileReply reply = replyFor(withArguments(elf, {"-fcoverage-compilation-dir=/src"}));
  EXPECT_EQ(int(reply.status), int(CompileReply::Status::replaced)) << reply.reason;
}

TEST(MllvmOptions, OddLinesMeanTheOriginal) {
  const std::string elf = codeObject(plainObject)->getBuffer().str();
  const std::string line = cantFail(sectionBytes(MemoryBufferRef(elf, ""), ".llvmcmd")).str();
  using namespace std::string_literals;
  for (const std::string &odd :
       {""s, "\0"s, "x"s, "-cc1"s, "-O3\0"s, line.substr(0, line.size() / 2), line + line,
        line + "-target-cpu\0gfx900\0"s, line + "-O9\0"s, line + "-mllvm\0"s,
        std::string(1 << 20, 'x') + '\0'}) {
    const CompileReply reply = replyFor(withSection(elf, ".llvmcmd", odd));
    EXPECT_EQ(int(reply.status), int(CompileReply::Status::failed)) << odd.substr(0, 40);
    EXPECT_NE(reply.reason.find(".llvmcmd"), std::string::npos) << reply.reason;
  }
}

} // namespace
