// Which kernels carry IR, of objects that hipcc made in the ways that people do.
#include "jit/api.h"
#include "tests/jit/test_objects.h"
#include "llvm/Config/llvm-config.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>

using namespace meld::jit::test;

namespace {

/// Kernel -> why not; or one entry "" -> reason when the object could not be read.
std::map<std::string, std::string> survey(llvm::StringRef bytes) {
  MeldJitRequest r{};
  r.abi = MELD_JIT_ABI;
  r.codeObject = bytes.data();
  r.size = bytes.size();
  MeldJitReply reply;
  std::map<std::string, std::string> out;
  if (meld_jit_survey(&r, &reply) == MELD_JIT_FAILED) {
    out[""] = reply.reason ? reply.reason : "";
  } else {
    const auto told = nlohmann::json::parse(reply.json);
    for (const auto &kernel : told["kernels"]) {
      EXPECT_EQ(kernel["ir"].get<bool>(), kernel["why"].get<std::string>().empty());
      out[kernel["name"]] = kernel["why"];
    }
  }
  meld_jit_release(&reply);
  return out;
}

std::map<std::string, std::string> survey(const char *name) {
  return survey(codeObject(name)->getBuffer());
}

void expectAll(const char *name, const std::string &why) {
  const auto kernels = survey(name);
  EXPECT_FALSE(kernels.empty()) << name;
  for (const auto &[kernel, told] : kernels) {
    EXPECT_NE(kernel, "") << name << ": " << told;
    if (why.empty())
      EXPECT_EQ(told, "") << name << ": " << kernel;
    else
      EXPECT_NE(told.find(why), std::string::npos) << name << ": " << kernel << ": " << told;
  }
}

} // namespace

TEST(Survey, kernelsWithIr) {
  for (const char *name : {"reduce-gfx90a", "diamond-gfx900", "reduce-debug", "reduce-nocmd",
                           "mixed", "rdc", "versions"})
    expectAll(name, "");
}

TEST(Survey, saysWhyNot) {
  expectAll("reduce-plain", "no bitcode");
  expectAll("reduce-O0", "-O0");
}

// As of a device link in which some units were compiled without bitcode: another object's stands there.
TEST(Survey, kernelsThatTheBitcodeDoesNotHave) {
  auto diamond = codeObject("diamond-gfx90a"), reduce = codeObject("reduce-gfx90a");
  auto bitcode = sectionBytes(diamond->getMemBufferRef(), ".llvmbc");
  ASSERT_TRUE(bool(bitcode));
  const auto kernels = survey(withSection(reduce->getBuffer(), ".llvmbc", *bitcode));
  EXPECT_FALSE(kernels.empty());
  for (const auto &[kernel, why] : kernels)
    EXPECT_NE(why.find("not in the bitcode"), std::string::npos) << kernel << ": " << why;
}

// LLVM 15 has gfx940, the comgr of ROCm 5.2 has not.
TEST(Survey, aProcessorThatComgrDoesNotKnow) {
  std::string bytes = codeObject("reduce-gfx900")->getBuffer().str();
  constexpr size_t flags = 48; // e_flags, of which the low byte is the processor
  ASSERT_EQ(bytes[flags], 0x2c);
  bytes[flags] = 0x40;
  for (size_t at = bytes.find("gfx900"); at != std::string::npos; at = bytes.find("gfx900", at))
    bytes.replace(at, 6, "gfx940");
  const auto kernels = survey(bytes);
  EXPECT_FALSE(kernels.empty());
  for (const auto &[kernel, why] : kernels)
    if (LLVM_VERSION_MAJOR == 15)
      EXPECT_EQ(why, "comgr does not know amdgcn-amd-amdhsa--gfx940") << kernel;
    else
      EXPECT_NE(why, "") << kernel << ": functions are for gfx900 still";
}

// Options that a compile would refuse are refused here, and with the same words.
TEST(Survey, refusesWhatACompileRefuses) {
  auto file = codeObject("refused");
  MeldJitRequest r{};
  r.abi = MELD_JIT_ABI;
  r.codeObject = file->getBufferStart();
  r.size = file->getBufferSize();
  r.passOptions = "passes=none";
  MeldJitReply reply;
  const int status = meld_jit_compile(&r, &reply);
  const std::string reason = reply.reason;
  meld_jit_release(&reply);
  const auto kernels = survey("refused");
  EXPECT_FALSE(kernels.empty());
  for (const auto &[kernel, why] : kernels)
    EXPECT_EQ(status == MELD_JIT_FAILED ? reason : "", why) << kernel;
}

TEST(Survey, damagedObjects) {
  EXPECT_EQ(survey(llvm::StringRef("not an ELF")).count(""), 1u);
  std::string bytes = codeObject("reduce-gfx90a")->getBuffer().str();
  const size_t magic = bytes.find("BC\xC0\xDE");
  ASSERT_NE(magic, std::string::npos);
  bytes[magic] = 'X';
  const auto kernels = survey(bytes);
  EXPECT_EQ(kernels.count(""), 1u);
  EXPECT_NE(kernels.at("").find(".llvmbc"), std::string::npos) << kernels.at("");
  bytes[magic] = 'B';
  for (size_t i = magic + 64; i < magic + 600; ++i) // inside of the bitcode
    bytes[i] = char(0x5a);
  const auto broken = survey(bytes);
  EXPECT_FALSE(broken.empty());
  for (const auto &[kernel, why] : broken)
    EXPECT_NE(why, "") << kernel;
  EXPECT_EQ(meld_jit_survey(nullptr, nullptr), MELD_JIT_FAILED);
}
