// Redis, by hiredis: the commands' and replies' form is its, sockets and time limits are ours.
//
// hiredis limits the time of each read, so a server that sends a byte now and then holds a caller for
// ever. Here each call has one moment until which all of it must be done, and a reply has a size that
// it may not exceed. After any error of a connection it is closed: what comes late must not be taken
// for the answer to the next question.
#include "runtime/cache/remote/stores.h"
#include "runtime/host/text.h"
#include "runtime/host/timed_io.h"

#include <hiredis/hiredis.h>
#include <vector>

namespace meld {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kPort = 6379;
constexpr size_t kMostBesides = 64 << 10; ///< bytes of a reply that is no entry, and around one
constexpr const char *kPeer = "the Redis server";

struct FreeContext {
  void operator()(redisContext *context) const { redisFree(context); }
};
struct FreeReader {
  void operator()(redisReader *reader) const { redisReaderFree(reader); }
};
struct FreeReply {
  void operator()(redisReply *reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

/// Deletes a claim that is still ours, in one step. Source: the pattern of the SET command's page in
/// the Redis manual.
constexpr std::string_view kRelease = "if redis.call('get',KEYS[1])==ARGV[1] then "
                                      "return redis.call('del',KEYS[1]) else return 0 end";

std::string_view textOf(const redisReply &reply) {
  return reply.str && reply.len > 0 ? std::string_view(reply.str, size_t(reply.len))
                                    : std::string_view();
}

/// "the Redis server answers nonsense: ..."
tl::unexpected<Error> wrong(std::string_view what, std::string_view detail = {}) {
  std::string message = kPeer;
  (message += what) += detail;
  return fail(ErrorCode::io, std::move(message));
}

class RedisStore : public RemoteStore {
public:
  RedisStore(RemoteUrl url, const RemoteLimits &limits, std::string token)
      : url_(std::move(url)), limits_(limits), token_(std::move(token)) {}

  Result<std::optional<Bytes>> get(std::string_view key) override {
    const Reply reply = MELD_TRY(ask({"GET", nameOf(key)}));
    if (reply->type == REDIS_REPLY_NIL)
      return std::nullopt;
    if (reply->type != REDIS_REPLY_STRING)
      return unexpected(*reply);
    const std::string_view text = textOf(*reply);
    if (text.size() > limits_.entryBytes)
      return fail(ErrorCode::badInput, "the Redis server's entry is larger than the limit");
    return Bytes(text.begin(), text.end());
  }

  Result<bool> has(std::string_view key) override {
    const Reply reply = MELD_TRY(ask({"EXISTS", nameOf(key)}));
    if (reply->type != REDIS_REPLY_INTEGER)
      return unexpected(*reply);
    return reply->integer != 0;
  }

  Result<void> put(std::string_view key, ByteView bytes) override {
    const std::string_view value(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    const Reply reply = MELD_TRY(ask({"SET", nameOf(key), value}));
    if (reply->type != REDIS_REPLY_STATUS)
      return unexpected(*reply);
    return {};
  }

  Result<bool> claim(std::string_view key, std::chrono::seconds expiry) override {
    const Reply reply =
        MELD_TRY(ask({"SET", claimOf(key), token_, "NX", "EX", std::to_string(expiry.count())}));
    if (reply->type == REDIS_REPLY_STATUS)
      return true;
    if (reply->type != REDIS_REPLY_NIL)
      return unexpected(*reply);
    const Reply whose = MELD_TRY(ask({"GET", claimOf(key)})); // it may be ours, from before
    return whose->type == REDIS_REPLY_STRING && textOf(*whose) == token_;
  }

  Result<void> release(std::string_view key) override {
    const Reply reply = MELD_TRY(ask({"EVAL", kRelease, "1", claimOf(key), token_}));
    if (reply->type != REDIS_REPLY_INTEGER)
      return unexpected(*reply);
    return {};
  }

  void rest() noexcept override {
    socket_ = {};
    reader_.reset();
    introduced_ = false;
  }

private:
  static std::string nameOf(std::string_view key) { return "meld:" + std::string(key); }
  static std::string claimOf(std::string_view key) { return "meld:claim:" + std::string(key); }

  /// One command, with a connection where there is none.
  Result<Reply> ask(std::initializer_list<std::string_view> words) {
    auto reply = askOrFail(words);
    if (!reply)
      rest();
    else if ((*reply)->type == REDIS_REPLY_ERROR)
      return unexpected(**reply);
    return reply;
  }

  Result<Reply> askOrFail(std::initializer_list<std::string_view> words) {
    if (!socket_)
      MELD_TRY(connect());
    const auto until = Clock::now() + limits_.request;
    if (!introduced_)
      MELD_TRY(introduce(until));
    return exchange(words, until);
  }

  Result<void> connect() {
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(limits_.connect).count();
    const timeval timeout{us / 1000000, us % 1000000};
    const bool unixSocket = url_.kind == RemoteUrl::Kind::redisUnix;
    std::string host = url_.host;
    if (host.starts_with('['))
      host = host.substr(1, host.size() - 2);
    std::unique_ptr<redisContext, FreeContext> context(
        unixSocket
            ? redisConnectUnixWithTimeout(url_.path.c_str(), timeout)
            : redisConnectWithTimeout(host.c_str(), int(url_.port ? url_.port : kPort), timeout));
    if (!context)
      return fail(ErrorCode::io, "no memory for a connection to the Redis server");
    if (context->err)
      return wrong(": ", context->errstr);
    socket_ = Descriptor(redisFreeKeepFd(context.release()));
    reader_.reset(redisReaderCreate());
    if (!reader_)
      return fail(ErrorCode::io, "no memory for a connection to the Redis server");
    return {};
  }

  Result<void> introduce(Deadline until) {
    if (!url_.password.empty()) {
      const Reply reply =
          MELD_TRY(url_.user.empty() ? exchange({"AUTH", url_.password}, until)
                                     : exchange({"AUTH", url_.user, url_.password}, until));
      if (reply->type != REDIS_REPLY_STATUS)
        return unexpected(*reply);
    }
    if (url_.database) {
      const Reply reply = MELD_TRY(exchange({"SELECT", std::to_string(url_.database)}, until));
      if (reply->type != REDIS_REPLY_STATUS)
        return unexpected(*reply);
    }
    introduced_ = true;
    return {};
  }

  Result<Reply> exchange(std::initializer_list<std::string_view> words, Deadline until) {
    std::vector<const char *> texts;
    std::vector<size_t> sizes;
    for (const std::string_view word : words) {
      texts.push_back(word.data() ? word.data() : "");
      sizes.push_back(word.size());
    }
    char *command = nullptr;
    const int size =
        redisFormatCommandArgv(&command, int(texts.size()), texts.data(), sizes.data());
    if (size < 0)
      return fail(ErrorCode::io, "no memory for a command to the Redis server");
    const ByteView bytes(reinterpret_cast<const uint8_t *>(command), size_t(size));
    auto sent = sendAll(socket_, bytes, until, kPeer);
    redisFreeCommand(command);
    if (!sent)
      return tl::unexpected(std::move(sent).error());
    return receive(until);
  }

  Result<Reply> receive(Deadline until) {
    size_t received = 0;
    Bytes room(256 << 10);
    for (;;) {
      void *reply = nullptr;
      if (redisReaderGetReply(reader_.get(), &reply) != REDIS_OK)
        return wrong(" answers nonsense: ", shown(reader_->errstr, sizeof reader_->errstr));
      if (Reply whole{static_cast<redisReply *>(reply)}) {
        if (reader_->pos != reader_->len) // it would be taken for the next answer
          return wrong(" answers more than it was asked");
        return whole;
      }
      if (received > limits_.entryBytes + kMostBesides)
        return wrong(" answers more than the limit");
      const size_t got = MELD_TRY(receiveSome(socket_, room, until, kPeer));
      if (!got)
        return wrong(" has closed the connection");
      // An array promises a number of elements, for which hiredis takes memory at once; none of our
      // commands is answered by one.
      if (!received && std::string_view("+-:$").find(char(room[0])) == std::string_view::npos)
        return wrong(" answers nonsense");
      received += got;
      if (redisReaderFeed(reader_.get(), reinterpret_cast<const char *>(room.data()), got) !=
          REDIS_OK)
        return fail(ErrorCode::io, "no memory for an answer of the Redis server");
    }
  }

  /// The server's own words, where it has some: "OOM command not allowed ...".
  static tl::unexpected<Error> unexpected(const redisReply &reply) {
    if (reply.type == REDIS_REPLY_ERROR)
      return wrong(" says: ", shown(textOf(reply), 200));
    return wrong(" answers nonsense: type ", std::to_string(reply.type));
  }

  const RemoteUrl url_;
  const RemoteLimits limits_;
  const std::string token_;
  Descriptor socket_;
  std::unique_ptr<redisReader, FreeReader> reader_;
  bool introduced_ = false; ///< the server knows user and database of this connection
};

} // namespace

std::unique_ptr<RemoteStore> openRedis(RemoteUrl url, const RemoteLimits &limits,
                                       std::string token) {
  return std::make_unique<RedisStore>(std::move(url), limits, std::move(token));
}

} // namespace meld
