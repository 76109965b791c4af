#include "runtime/engine/remote_exchange.h"

#include "runtime/engine/thread.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

namespace meld {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kStack = size_t(1) << 20;
constexpr std::chrono::milliseconds kFirstPause{100}, kLongestPause{1000};
constexpr std::chrono::milliseconds kBreakOff{500};
constexpr std::chrono::seconds kIdle{5}; ///< then the store may close its connection

struct Awaited {
  Clock::time_point next, end;
  std::chrono::milliseconds pause = kFirstPause;
};

struct Waiting { ///< for a claim
  CacheKey key;
  std::optional<RemoteExchange::Claimed> answer;
};

struct ToSend {
  CacheKey key;
  Bytes file; ///< empty: only release the claim
};

} // namespace

struct RemoteExchange::State {
  Callbacks callbacks;
  std::unique_ptr<RemoteStore> store; ///< the thread's; others only cancel it, under lock

  std::mutex lock; ///< guards what follows
  std::condition_variable wake, changed;
  bool running = false, off = false, stopped = false;
  bool sending = false;
  bool calling = false; ///< in a callback
  std::deque<std::shared_ptr<Waiting>> claims;
  std::deque<CacheKey> lookUps;
  std::map<CacheKey, Awaited> awaited;
  std::deque<ToSend> toSend;
  uint64_t bytesToSend = 0;

  static void run(const std::shared_ptr<State> &state) noexcept;
  void work(std::unique_lock<std::mutex> &guard);
  void ask(std::unique_lock<std::mutex> &guard, const CacheKey &key);
  Claimed claimNow(const CacheKey &key);
  bool open(std::unique_lock<std::mutex> &guard);
  void giveUp(std::unique_lock<std::mutex> &guard, const std::string &why);
  std::optional<std::pair<CacheKey, Clock::time_point>> nextAwaited() const;
  size_t waiting() const { return lookUps.size() + awaited.size() + toSend.size(); }
  template <class Call> auto withoutLock(std::unique_lock<std::mutex> &guard, const Call &call);
  template <class Call> auto callBack(std::unique_lock<std::mutex> &guard, const Call &call);
};

/// A call of the store or a callback, during which others may ask for more.
template <class Call>
auto RemoteExchange::State::withoutLock(std::unique_lock<std::mutex> &guard, const Call &call) {
  struct Again {
    std::unique_lock<std::mutex> &guard;
    ~Again() { guard.lock(); }
  };
  guard.unlock();
  const Again again{guard};
  return call();
}

template <class Call>
auto RemoteExchange::State::callBack(std::unique_lock<std::mutex> &guard, const Call &call) {
  struct Done {
    State &state;
    ~Done() {
      state.calling = false;
      state.changed.notify_all();
    }
  };
  calling = true;
  const Done done{*this}; // goes when the lock is held again
  return withoutLock(guard, call);
}

bool RemoteExchange::State::open(std::unique_lock<std::mutex> &guard) {
  if (store)
    return true;
  auto opened = callBack(guard, [&] { return callbacks.open(); });
  if (!opened) {
    giveUp(guard, opened.error().message);
    return false;
  }
  store = std::move(*opened);
  return true;
}

/// Nothing is asked any more; who waits goes on.
void RemoteExchange::State::giveUp(std::unique_lock<std::mutex> &guard, const std::string &why) {
  if (!off && callbacks.warn && !why.empty())
    callBack(guard, [&] { callbacks.warn(why); });
  off = true;
  toSend.clear();
  bytesToSend = 0;
  for (const auto &claim : claims)
    claim->answer.emplace();
  claims.clear();
  changed.notify_all();
  while (!stopped && !(lookUps.empty() && awaited.empty())) {
    CacheKey key;
    if (!lookUps.empty()) {
      key = lookUps.front();
      lookUps.pop_front();
    } else {
      key = awaited.begin()->first;
      awaited.erase(awaited.begin());
    }
    callBack(guard, [&] { callbacks.missing(key); });
  }
}

/// One question for an entry, and what follows from the answer.
void RemoteExchange::State::ask(std::unique_lock<std::mutex> &guard, const CacheKey &key) {
  auto found = withoutLock(guard, [&] { return store->get(key.hex()); });
  if (stopped)
    return;
  const bool given = found && *found &&
                     callBack(guard, [&] { return callbacks.received(key, std::move(**found)); });
  if (stopped)
    return;
  const auto waits = awaited.find(key);
  if (!given && waits != awaited.end() && Clock::now() < waits->second.end && !store->off()) {
    waits->second.next = Clock::now() + waits->second.pause;
    waits->second.pause = std::min(2 * waits->second.pause, kLongestPause);
    return;
  }
  if (waits != awaited.end())
    awaited.erase(waits);
  if (!given)
    callBack(guard, [&] { callbacks.missing(key); });
}

/// The awaited key whose turn is next.
std::optional<std::pair<CacheKey, Clock::time_point>> RemoteExchange::State::nextAwaited() const {
  std::optional<std::pair<CacheKey, Clock::time_point>> next;
  for (const auto &[key, one] : awaited)
    if (!next || one.next < next->second)
      next.emplace(key, one.next);
  return next;
}

RemoteExchange::Claimed RemoteExchange::State::claimNow(const CacheKey &key) {
  const auto got = store->claim(key.hex(), callbacks.claim);
  if (!got)
    return {};
  if (!*got)
    return {Claim::theirs};
  // Who had it before has put the entry there first and given it back then.
  Claimed claimed{Claim::ours};
  if (auto found = store->get(key.hex()))
    claimed.file = std::move(*found);
  return claimed;
}

/// One thing, the most urgent: what a compile waits for, then what a later load will ask for.
void RemoteExchange::State::work(std::unique_lock<std::mutex> &guard) {
  const auto next = nextAwaited();
  const bool due = next && next->second <= Clock::now();
  if (claims.empty() && lookUps.empty() && toSend.empty() && !due) {
    const auto until = next ? next->second : Clock::now() + kIdle;
    if (wake.wait_until(guard, until) == std::cv_status::timeout && !next) {
      if (store)
        store->rest();
      wake.wait(guard, [&] { return stopped || !claims.empty() || waiting(); });
    }
    return;
  }
  if (!open(guard) || stopped)
    return;
  if (!claims.empty()) {
    const auto claim = claims.front();
    claims.pop_front();
    claim->answer = withoutLock(guard, [&] { return claimNow(claim->key); });
  } else if (!lookUps.empty()) {
    const CacheKey key = lookUps.front();
    lookUps.pop_front();
    ask(guard, key);
  } else if (due) {
    ask(guard, next->first);
  } else if (!toSend.empty()) {
    const ToSend send = std::move(toSend.front());
    toSend.pop_front();
    bytesToSend -= send.file.size();
    sending = true;
    withoutLock(guard, [&] {
      if (!send.file.empty())
        (void)store->put(send.key.hex(), send.file);
      (void)store->release(send.key.hex());
    });
    sending = false;
  }
  changed.notify_all();
  if (store->off() && !stopped && !off)
    giveUp(guard, {}); // it has said why itself
}

void RemoteExchange::State::run(const std::shared_ptr<State> &state) noexcept {
  std::unique_lock guard(state->lock);
  try {
    while (!state->stopped)
      state->work(guard);
  } catch (...) { // no memory
    if (!guard.owns_lock())
      guard.lock();
    state->off = true;
    for (const auto &claim : state->claims)
      claim->answer.emplace();
    state->claims.clear();
  }
  state->running = false;
  state->changed.notify_all();
  // The store's program ends with its thread.
  const auto store = std::move(state->store);
  guard.unlock();
}

RemoteExchange::RemoteExchange(Callbacks callbacks) : state_(std::make_shared<State>()) {
  state_->callbacks = std::move(callbacks);
}

RemoteExchange::~RemoteExchange() { finish(std::chrono::milliseconds(0)); }

bool RemoteExchange::usable() const noexcept {
  std::lock_guard guard(state_->lock);
  return !state_->off && !state_->stopped;
}

namespace {

/// With the lock held; the thread is there afterwards, or the store is given up.
template <class State> bool isRunning(const std::shared_ptr<State> &state) {
  if (state->off || state->stopped)
    return false;
  if (!state->running) {
    state->running = runDetached([state] { State::run(state); }, kStack);
    state->off = !state->running;
  }
  state->wake.notify_one();
  return state->running;
}

} // namespace

bool RemoteExchange::lookUp(const CacheKey &key) {
  std::lock_guard guard(state_->lock);
  if (state_->waiting() >= kMostWaiting || !isRunning(state_))
    return false;
  state_->lookUps.push_back(key);
  return true;
}

bool RemoteExchange::await(const CacheKey &key) {
  std::lock_guard guard(state_->lock);
  if (state_->waiting() >= kMostWaiting || !isRunning(state_))
    return false;
  const auto now = Clock::now();
  state_->awaited[key] = {now + kFirstPause, now + state_->callbacks.claim};
  return true;
}

RemoteExchange::Claimed RemoteExchange::claim(const CacheKey &key) {
  std::unique_lock guard(state_->lock);
  if (!isRunning(state_))
    return {};
  const auto waiting = std::make_shared<Waiting>();
  waiting->key = key;
  state_->claims.push_back(waiting);
  state_->changed.wait(guard, [&] { return waiting->answer || state_->stopped || state_->off; });
  return std::move(waiting->answer).value_or(Claimed{});
}

void RemoteExchange::release(const CacheKey &key) { put(key, {}); }

void RemoteExchange::put(const CacheKey &key, Bytes file) {
  std::lock_guard guard(state_->lock);
  if (state_->waiting() >= kMostWaiting || state_->bytesToSend + file.size() > kMostBytes ||
      !isRunning(state_))
    return;
  state_->bytesToSend += file.size();
  state_->toSend.push_back({key, std::move(file)});
}

void RemoteExchange::finish(std::chrono::milliseconds wait) noexcept {
  std::unique_lock guard(state_->lock);
  state_->lookUps.clear();
  state_->awaited.clear();
  state_->changed.wait_for(guard, wait, [&] {
    return !state_->running || state_->off || (state_->toSend.empty() && !state_->sending);
  });
  state_->stopped = true;
  state_->wake.notify_all();
  state_->changed.notify_all();
  if (state_->store)
    state_->store->cancel();
  // What runs comes back at once now. A callback that is under way is the caller's own work; a call of
  // the store that does not come back is left alone, and nothing is done behind it.
  state_->changed.wait_for(guard, kBreakOff, [&] { return !state_->running; });
  state_->changed.wait(guard, [&] { return !state_->running || !state_->calling; });
}

} // namespace meld
