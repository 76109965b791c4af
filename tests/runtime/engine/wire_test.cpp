#include "runtime/engine/wire.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace meld;
using namespace meld::wire;

namespace {

constexpr size_t kHeader = sizeof(Header);

ByteView body(const Bytes &message) { return ByteView(message).subspan(kHeader); }

Reply someReply() {
  Reply reply;
  reply.outcome.status = MELD_JIT_REPLACED;
  reply.outcome.permanent = true;
  reply.outcome.reason = "a reason";
  reply.outcome.metadata = "{}";
  reply.outcome.codeObject = {1, 2, 3};
  reply.version = "libmeld-jit 0";
  return reply;
}

} // namespace

TEST(Wire, EverySettingGoesAcross) {
  // Each has a value that is not its default.
  Settings settings;
  auto other = [n = 0](auto &value) mutable {
    using T = std::decay_t<decltype(value)>;
    ++n;
    if constexpr (std::is_same_v<T, bool>)
      value = true;
    else if constexpr (std::is_same_v<T, std::string>)
      value = std::string("text\0with a zero ", 17) + std::to_string(n);
    else if constexpr (std::is_same_v<T, CompileMode>)
      value = CompileMode::async;
    else if constexpr (std::is_same_v<T, int>)
      value = -n;
    else
      value = T(n) / T(2) + T(1);
  };
#define MELD_GPU_SETTING(...)
#define MELD_SETTING(kind, field, name, ...) other(settings.field);
#include "runtime/settings/table.h"
  const Bytes object = {0, 255, 7};
  const Bytes message =
      encode(object, "gfx90a", settings, {"a kernel", "a recipe", "facts", "a profile"});
  const auto header = decodeHeader(message);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->kind, uint32_t(Kind::request));
  EXPECT_EQ(header->size, message.size() - kHeader);
  const auto request = decodeRequest(body(message));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->isa, "gfx90a");
  EXPECT_EQ(request->codeObject, object);
  EXPECT_EQ(request->version.kernel, "a kernel");
  EXPECT_EQ(request->version.recipe, "a recipe");
  EXPECT_EQ(request->version.facts, "facts");
  EXPECT_EQ(request->version.profile, "a profile");
#define MELD_GPU_SETTING(...)
#define MELD_SETTING(kind, field, name, ...)                                                       \
  EXPECT_EQ(request->settings.field, settings.field) << name;
#include "runtime/settings/table.h"
}

TEST(Wire, RepliesAndLogLines) {
  const Bytes message = encode(someReply());
  const auto reply = decodeReply(body(message));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->outcome.status, MELD_JIT_REPLACED);
  EXPECT_TRUE(reply->outcome.permanent);
  EXPECT_EQ(reply->outcome.reason, "a reason");
  EXPECT_EQ(reply->outcome.metadata, "{}");
  EXPECT_EQ(reply->outcome.codeObject, (Bytes{1, 2, 3}));
  EXPECT_EQ(reply->version, "libmeld-jit 0");
  const Bytes line = encode(LogLine{4, std::string(1 << 20, 'x')});
  EXPECT_LE(decodeHeader(line)->size, kMostLog) << "longer ones are cut";
  EXPECT_EQ(decodeLog(body(line))->level, 4);
}

// The other side may have been broken by what it compiled.
TEST(Wire, NothingElseIsTakenForAMessage) {
  const Bytes good = encode(someReply());
  for (size_t size = 0; size + kHeader < good.size(); ++size)
    EXPECT_FALSE(decodeReply(body(good).first(size))) << size;
  Bytes longer = good;
  longer.push_back(0);
  EXPECT_FALSE(decodeReply(body(longer)));
  for (size_t at = 0; at < kHeader; ++at) {
    Bytes changed = good;
    changed[at] ^= 0x80;
    const auto header = decodeHeader(changed);
    EXPECT_TRUE(!header || header->size != good.size() - kHeader) << at;
  }
  // Lengths that end nowhere, or overflow.
  for (size_t at = 0; at + 8 <= good.size() - kHeader; ++at)
    for (uint64_t size : {~uint64_t(0), uint64_t(1) << 63, uint64_t(good.size())}) {
      Bytes changed(body(good).begin(), body(good).end());
      std::memcpy(changed.data() + at, &size, sizeof size);
      if (const auto reply = decodeReply(changed)) {
        EXPECT_LE(reply->outcome.codeObject.size(), good.size());
      }
    }
}
