#include "runtime/cache/remote/process.h"

#include "runtime/cache/remote/url.h"
#include "runtime/cache/remote/wire.h"
#include "runtime/host/confinement.h"
#include "runtime/host/spawn.h"
#include "runtime/host/text.h"
#include "runtime/host/timed_io.h"
#include "runtime/log/log.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <sys/random.h>
#include <unistd.h>

namespace meld {
namespace {

using namespace remote;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kGrace{500}; ///< for what it says of its own limits
constexpr const char *kProgram = "meld-remote";

/// What the claims of this process are marked with.
Bytes randomToken() {
  uint8_t random[16];
  if (getrandom(random, sizeof random, GRND_NONBLOCK) != ssize_t(sizeof random)) {
    const auto now = Clock::now().time_since_epoch().count();
    const pid_t self = getpid();
    std::memset(random, 0, sizeof random);
    std::memcpy(random, &now, sizeof now);
    std::memcpy(random + sizeof now, &self, sizeof self);
  }
  static constexpr char kDigits[] = "0123456789abcdef";
  Bytes token;
  for (const uint8_t byte : random) {
    token.push_back(uint8_t(kDigits[byte >> 4]));
    token.push_back(uint8_t(kDigits[byte & 15]));
  }
  return token;
}

ByteView bytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

struct Reply {
  bool yes = false;
  Bytes body;
};

class ProcessStore : public RemoteStore {
public:
  ProcessStore(std::string path, std::string_view url, const RemoteLimits &limits,
               std::vector<std::string> environment)
      : path_(std::move(path)), url_(url), shown_(shownUrl(url)), limits_(limits),
        token_(randomToken()), environment_(std::move(environment)) {}
  ~ProcessStore() override { stop(); }

  Result<std::optional<Bytes>> get(std::string_view key) override {
    Reply reply = MELD_TRY(ask(Call::get, key));
    return reply.yes ? std::optional(std::move(reply.body)) : std::nullopt;
  }
  Result<bool> has(std::string_view key) override { return MELD_TRY(ask(Call::has, key)).yes; }
  Result<void> put(std::string_view key, ByteView bytes) override {
    if (bytes.size() > limits_.entryBytes)
      return fail(ErrorCode::badInput, "an entry of " + std::to_string(bytes.size()) +
                                           " bytes is more than goes into a remote cache (" +
                                           std::to_string(limits_.entryBytes) + ")");
    MELD_TRY(ask(Call::put, key, bytes));
    return {};
  }
  Result<bool> claim(std::string_view key, std::chrono::seconds expiry) override {
    return MELD_TRY(ask(Call::claim, key, {}, uint64_t(std::max<int64_t>(expiry.count(), 1)))).yes;
  }
  Result<void> release(std::string_view key) override {
    MELD_TRY(ask(Call::release, key));
    return {};
  }

  void rest() noexcept override { stop(); }
  bool off() const noexcept override { return off_ || cancelled_; }
  void cancel() noexcept override {
    cancelled_ = true;
    std::lock_guard guard(lock_);
    if (killable_)
      killable_->kill();
  }

private:
  Result<Reply> ask(Call call, std::string_view key, ByteView body = {}, uint64_t number = 0) {
    MELD_TRY(checkRemoteKey(key));
    if (cancelled_)
      return fail(ErrorCode::io, "stopped: the process ends");
    if (off_)
      return fail(ErrorCode::io, "the remote cache has been switched off");
    auto reply = askProgram(call, key, body, number);
    settle(call, reply);
    return reply;
  }

  Result<Reply> askProgram(Call call, std::string_view key, ByteView body, uint64_t number) {
    auto until = Clock::now() + limits_.connect + limits_.request + kGrace;
    if (!program_ || thread_ != gettid()) {
      stop(); // it has ended with its thread, or will
      until += limits_.start;
      MELD_TRY(start(until));
    }
    auto reply = exchange(call, key, body, {number, 0, 0}, until);
    if (!healthy_)
      stop();
    return reply;
  }

  Result<void> start(Deadline until) {
    if (confinedSince())
      return fail(ErrorCode::io, "the application has confined itself, no process is made");
    channel_ = MELD_TRY(ProgramChannel::open());
    std::vector<std::string> arguments{path_};
    const auto argv = pointersTo(arguments), environment = pointersTo(environment_);
    auto started = RunningProgram::start(
        {path_.c_str(), argv.data(), environment.data(), channel_.theirs.get()});
    (void)channel_.theirs.close();
    if (!started)
      return tl::unexpected(std::move(started).error());
    program_ = std::move(*started);
    {
      std::lock_guard guard(lock_);
      killable_ = program_.get();
      if (cancelled_)
        killable_->kill();
    }
    thread_ = gettid();
    auto opened = exchange(Call::open, url_, token_,
                           {uint64_t(limits_.connect.count()), uint64_t(limits_.request.count()),
                            uint64_t(limits_.entryBytes)},
                           until);
    if (opened)
      return {};
    stop();
    if (opened.error().code == ErrorCode::unsupported) // and so it will stay
      switchOff(opened.error().message);
    return tl::unexpected(std::move(opened).error());
  }

  /// Sets healthy_: what comes next from the program is the next reply.
  Result<Reply> exchange(Call call, std::string_view key, ByteView body,
                         const std::array<uint64_t, 3> &numbers, Deadline until) {
    healthy_ = false;
    RequestHead request{
        kMagic, uint32_t(call), key.size(), body.size(), {numbers[0], numbers[1], numbers[2]}};
    const auto *head = reinterpret_cast<const uint8_t *>(&request);
    MELD_TRY(sendAll(channel_.ours, {head, sizeof request}, until, kProgram));
    MELD_TRY(sendAll(channel_.ours, bytesOf(key), until, kProgram));
    MELD_TRY(sendAll(channel_.ours, body, until, kProgram));

    ReplyHead reply{};
    auto *room = reinterpret_cast<uint8_t *>(&reply);
    MELD_TRY(receiveAll(channel_.ours, {room, sizeof reply}, until, kProgram));
    const uint32_t first = uint32_t(Answer::firstError);
    const bool error = reply.answer >= first;
    const uint64_t most = error               ? kMostMessageBytes
                          : call == Call::get ? uint64_t(limits_.entryBytes)
                                              : 0;
    if (reply.magic != kMagic || reply.answer > first + uint32_t(ErrorCode::internal) ||
        reply.bodyBytes > most)
      return fail(ErrorCode::io, "meld-remote answers nonsense");
    Bytes bytes = MELD_TRY(receiveBody(reply.bodyBytes, until));
    healthy_ = true;
    if (error)
      return fail(ErrorCode(reply.answer - first),
                  shown(std::string(bytes.begin(), bytes.end()), 400));
    return Reply{reply.answer == uint32_t(Answer::yes), std::move(bytes)};
  }

  /// Memory is taken for what has come, not for what was promised.
  Result<Bytes> receiveBody(uint64_t size, Deadline until) {
    constexpr uint64_t kPiece = 1 << 20;
    Bytes bytes;
    while (bytes.size() < size) {
      const size_t before = bytes.size();
      bytes.resize(before + std::min(size - before, kPiece));
      MELD_TRY(receiveAll(channel_.ours, std::span(bytes).subspan(before), until, kProgram));
    }
    return bytes;
  }

  void stop() noexcept {
    if (!program_)
      return;
    program_->kill();
    program_->end([this] {
      std::lock_guard guard(lock_);
      killable_ = nullptr;
    });
    program_.reset();
    channel_ = {};
  }

  void settle(Call call, const Result<Reply> &reply) {
    if (reply) {
      failures_ = 0;
      return;
    }
    if (off_ || cancelled_)
      return;
    if (reply.error().code == ErrorCode::unsupported) {
      if (!(told_ & 1u << unsigned(call)))
        log::info("remote cache " + shown_ + ": " + reply.error().message);
      told_ |= 1u << unsigned(call);
      return;
    }
    log::debug("remote cache " + shown_ + ": " + reply.error().message);
    if (++failures_ >= limits_.failures)
      switchOff("it failed " + std::to_string(failures_) +
                " times, the last time: " + reply.error().message);
  }

  void switchOff(const std::string &why) {
    if (!off_.exchange(true))
      log::warning("remote cache " + shown_ + " is off for this process: " + why);
    stop();
  }

  const std::string path_, url_, shown_;
  const RemoteLimits limits_;
  const Bytes token_;
  const std::vector<std::string> environment_;

  std::atomic<bool> off_{false}, cancelled_{false};
  unsigned failures_ = 0, told_ = 0;
  bool healthy_ = false;
  pid_t thread_ = 0; ///< that started the program
  ProgramChannel channel_;
  std::unique_ptr<RunningProgram> program_;
  std::mutex lock_; ///< guards what follows
  RunningProgram *killable_ = nullptr;
};

} // namespace

Result<std::unique_ptr<RemoteStore>> openRemoteProcess(const std::string &folder,
                                                       std::string_view url,
                                                       const RemoteLimits &limits,
                                                       std::vector<std::string> environment) {
  MELD_TRY(parseRemoteUrl(url));
  return std::make_unique<ProcessStore>(folder + "/" + kProgram, url, limits,
                                        std::move(environment));
}

} // namespace meld
