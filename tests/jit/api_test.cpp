// The C face: pointers, ownership, bad requests.
#include "jit/api.h"
#include "passes/options.h"
#include "runtime/settings/pass_options.h"
#include "tests/jit/test_objects.h"

#include "llvm/Config/llvm-config.h"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

using namespace meld::jit::test;

namespace {

MeldJitRequest request(const llvm::MemoryBuffer &file) {
  MeldJitRequest r{};
  r.abi = MELD_JIT_ABI;
  r.codeObject = file.getBufferStart();
  r.size = file.getBufferSize();
  r.passOptions = "passes=none";
  return r; // every other pointer is null, which is allowed
}

TEST(Api, compilesAndReleases) {
  auto file = codeObject("reduce-gfx90a");
  auto r = request(*file);
  std::vector<std::string> lines;
  r.log = [](void *context, int, const char *m) {
    static_cast<std::vector<std::string> *>(context)->push_back(m);
  };
  r.context = &lines;
  MeldJitReply reply;
  EXPECT_EQ(meld_jit_compile(&r, &reply), MELD_JIT_REPLACED) << reply.reason;
  EXPECT_GT(reply.size, 0u);
  EXPECT_STREQ(reply.reason, "recompiled");
  EXPECT_NE(reply.json, nullptr);
  meld_jit_release(&reply);
  EXPECT_EQ(reply.bytes, nullptr);
  meld_jit_release(&reply); // twice is harmless
}

TEST(Api, badRequests) {
  MeldJitReply reply;
  EXPECT_EQ(meld_jit_compile(nullptr, &reply), MELD_JIT_FAILED);
  EXPECT_NE(reply.reason, nullptr);
  meld_jit_release(&reply);
  MeldJitRequest r{};
  r.abi = MELD_JIT_ABI + 1;
  EXPECT_EQ(meld_jit_compile(&r, &reply), MELD_JIT_FAILED);
  meld_jit_release(&reply);
  EXPECT_EQ(meld_jit_compile(&r, nullptr), MELD_JIT_FAILED);
  r.abi = MELD_JIT_ABI;
  r.codeObject = "not an ELF";
  r.size = 10;
  EXPECT_EQ(meld_jit_compile(&r, &reply), MELD_JIT_FAILED);
  EXPECT_TRUE(reply.permanent);
  meld_jit_release(&reply);
}

// LLVM's options are asked for before each run of the pipeline and given back after it, also when
// the compile fails; where they are refused nothing is compiled.
TEST(Api, asksForLlvmsOptions) {
  auto file = codeObject("diamond-gfx90a");
  struct Count {
    int begins = 0, ends = 0, inside = 0, most = 0;
    bool refuse = false;
  } count;
  MeldJitReply reply;
  auto r = request(*file);
  r.context = &count;
  r.optionsBegin = [](void *context) -> int {
    auto &c = *static_cast<Count *>(context);
    ++c.begins;
    c.most = std::max(c.most, ++c.inside);
    return !c.refuse;
  };
  r.optionsEnd = [](void *context) {
    auto &c = *static_cast<Count *>(context);
    ++c.ends;
    --c.inside;
  };
  EXPECT_EQ(meld_jit_compile(&r, &reply), MELD_JIT_REPLACED);
  meld_jit_release(&reply);
  EXPECT_GT(count.begins, 0);
  EXPECT_EQ(count.begins, count.ends);
  EXPECT_EQ(count.most, 1);
  count = {};
  count.refuse = true;
  EXPECT_EQ(meld_jit_compile(&r, &reply), MELD_JIT_FAILED);
  EXPECT_NE(std::string(reply.reason).find("LLVM's options are in use"), std::string::npos);
  EXPECT_FALSE(reply.permanent);
  meld_jit_release(&reply);
  EXPECT_EQ(count.ends, 0);
}

// What runtime/settings writes, the passes read: every option of passes/options.def.
TEST(Api, passesReadWhatTheSettingsSay) {
  using meld::passes::MeldOptions;
  EXPECT_EQ(meld::passOptions(
                meld::parseSettings([](const char *) { return std::nullopt; }, {}).settings),
            "");
  meld::Settings settings =
      meld::parseSettings([](const char *) { return std::nullopt; }, {}).settings;
  settings.kernelInclude = ";a;;b; ";
  settings.kernelExclude = "^=x;$";
  settings.passes = "cfm,scalarize-loads,no-tail-merge";
  settings.minProfit = -0.1;
  settings.minGain = 3.5;
  settings.force = true;
  settings.verify = false;
  settings.maxIterations = 7;
  settings.meldings = 3;
  const std::string text = meld::passOptions(settings);
  auto options = MeldOptions::parse(text);
  ASSERT_TRUE(bool(options)) << text;
#define MELD_OPTION(kind, field, name, byDefault, environment, help)                               \
  EXPECT_TRUE(options->field == settings.field || std::string_view(#field) == "passes") << text;   \
  EXPECT_NE(options->field, MeldOptions().field) << environment << " is not varied";
#include "passes/options.def"
  EXPECT_EQ(options->passes, "cfm,scalarize-loads");
  EXPECT_EQ(options->without, std::set<std::string>{"tail-merge"});
}

TEST(Api, wrongPassOptionsFailWithAReason) {
  auto file = codeObject("reduce-gfx90a");
  auto r = request(*file);
  r.passOptions = "include=(";
  MeldJitReply reply;
  EXPECT_EQ(meld_jit_compile(&r, &reply), MELD_JIT_FAILED);
  EXPECT_NE(std::string(reply.reason).find("include"), std::string::npos) << reply.reason;
  EXPECT_FALSE(reply.permanent);
  meld_jit_release(&reply);
}

// Both read passes/passes.def.
TEST(Api, settingsKnowThePasses) {
  using meld::passes::MeldOptions;
  auto parsed = [](const std::string &text) {
    return meld::parseSettings(
        [&](const char *name) {
          return name == std::string("MELD_PASSES") ? std::optional(text) : std::nullopt;
        },
        {});
  };
  for (llvm::StringRef name : MeldOptions::passNames())
    EXPECT_TRUE(parsed(name.str()).warnings.empty()) << name.str();
  // And no others.
  const auto wrong = parsed("no-such-pass");
  ASSERT_EQ(wrong.warnings.size(), 1u);
  const std::string list = wrong.warnings[0].substr(wrong.warnings[0].find("one of ") + 7);
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(list).take_until([](char c) { return c == ';'; }).split(words, ", ");
  EXPECT_GT(words.size(), 10u);
  for (llvm::StringRef word : words) {
    auto options = MeldOptions::parse(("passes=" + word).str());
    EXPECT_TRUE(bool(options)) << word.str();
    if (!options)
      llvm::consumeError(options.takeError());
  }
}

TEST(Api, versionNamesLlvmAndComgr) {
  std::string v = meld_jit_version();
  EXPECT_NE(v.find("libmeld-jit "), std::string::npos);
  EXPECT_NE(v.find("LLVM " LLVM_VERSION_STRING), std::string::npos);
  EXPECT_NE(v.find("comgr "), std::string::npos);
}

TEST(Api, manyThreadsGetTheSameBytes) {
  auto file = codeObject("diamond-gfx90a");
  std::vector<std::string> results(4);
  std::vector<std::thread> threads;
  for (auto &out : results)
    threads.emplace_back([&] {
      auto r = request(*file);
      MeldJitReply reply;
      if (meld_jit_compile(&r, &reply) == MELD_JIT_REPLACED)
        out.assign(static_cast<const char *>(reply.bytes), reply.size);
      meld_jit_release(&reply);
    });
  for (auto &t : threads)
    t.join();
  EXPECT_FALSE(results[0].empty());
  for (auto &r : results)
    EXPECT_TRUE(r == results[0]);
}

} // namespace
