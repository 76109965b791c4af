// The C face: pointers, ownership, bad requests.
#include "jit/api.h"
#include "tests/jit/test_objects.h"

#include "llvm/Config/llvm-config.h"

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
  r.passes = "none";
  return r; // every other pointer is null, which is allowed
}

TEST(Api, compilesAndReleases) {
  auto file = codeObject("reduce-gfx90a");
  auto r = request(*file);
  std::vector<std::string> lines;
  r.log = [](void *context, int, const char *m) {
    static_cast<std::vector<std::string> *>(context)->push_back(m);
  };
  r.logContext = &lines;
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
