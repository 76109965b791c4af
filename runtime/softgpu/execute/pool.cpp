#include "runtime/softgpu/execute/pool.h"

#include "runtime/softgpu/execute/worker.h"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

namespace meld::softgpu {

struct Pool::State {
  const pid_t pid = getpid();
  std::mutex mutex;
  std::condition_variable wake, left;
  std::deque<Offer *> offers; ///< oldest first
  std::vector<std::thread> threads;
  bool quit = false;

  void helper() {
    Worker worker;
    std::unique_lock lock(mutex);
    while (true) {
      auto it = std::find_if(offers.begin(), offers.end(),
                             [](Offer *o) { return o->inside_ < o->wanted_; });
      if (it == offers.end()) {
        if (quit)
          return;
        wake.wait(lock);
        continue;
      }
      Offer *o = *it;
      ++o->inside_;
      lock.unlock();
      o->work_(worker);
      lock.lock();
      // It came back, so there is nothing left to do: nobody else need look at this offer.
      o->wanted_ = 0;
      if (--o->inside_ == 0)
        left.notify_all();
    }
  }
};

namespace {

std::mutex &startMutex() {
  static std::mutex m;
  return m;
}

} // namespace

Pool::State *Pool::start() {
  std::lock_guard lock(startMutex());
  if (state_ && state_->pid == getpid())
    return state_;
  // After a fork the parent's state is left alone: its mutex may be locked for good.
  state_ = new State;
  sigset_t all, before;
  sigfillset(&all);
  for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
    sigdelset(&all, s);
  pthread_sigmask(SIG_SETMASK, &all, &before); // the application's signals are for its own threads
  try {
    for (unsigned k = 0; k < helpers_; ++k)
      state_->threads.emplace_back([s = state_] { s->helper(); });
  } catch (...) { // fewer helpers, then
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return state_;
}

Pool::~Pool() {
  if (!state_ || state_->pid != getpid())
    return;
  {
    std::lock_guard lock(state_->mutex);
    state_->quit = true;
  }
  state_->wake.notify_all();
  for (auto &t : state_->threads)
    t.join();
  delete state_;
}

Pool::Offer::Offer(Pool &pool, unsigned wanted, std::function<void(Worker &)> work)
    : pool_(pool), work_(std::move(work)), wanted_(std::min(wanted, pool.helpers_)) {
  if (wanted_ == 0)
    return;
  const unsigned n = wanted_;
  State *s = pool_.start();
  {
    std::lock_guard lock(s->mutex);
    s->offers.push_back(this);
  }
  open_ = true;
  for (unsigned k = 0; k < n; ++k)
    s->wake.notify_one();
}

Pool::Offer::~Offer() {
  if (!open_)
    return;
  State *s = pool_.state_;
  std::unique_lock lock(s->mutex);
  s->offers.erase(std::find(s->offers.begin(), s->offers.end(), this));
  s->left.wait(lock, [this] { return inside_ == 0; });
}

} // namespace meld::softgpu
