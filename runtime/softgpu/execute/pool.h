// Helper threads that join running dispatches.
//
// What: the calling thread of a dispatch offers its work with a Pool::Offer and does it, too; idle
// helpers join, each with a Worker of its own, until the offer is withdrawn. Threads start with the
// first offer and never before, so a process may fork until then; after a fork the child starts its
// own.
//
// Costs: an offer wakes at most as many helpers as there is work for; withdrawing waits for the
// helpers inside. Thread rule: any thread.
#pragma once

#include <functional>
#include <memory>

namespace meld::softgpu {

class Worker;

class Pool {
public:
  explicit Pool(unsigned helpers) : helpers_(helpers) {}
  ~Pool();
  Pool(const Pool &) = delete;

  /// `work` is called by up to `wanted` helpers at a time, while the Offer lives.
  class Offer {
  public:
    Offer(Pool &pool, unsigned wanted, std::function<void(Worker &)> work);
    ~Offer(); ///< no new helpers; waits until those inside have returned
    Offer(const Offer &) = delete;

  private:
    friend class Pool;
    Pool &pool_;
    std::function<void(Worker &)> work_;
    unsigned wanted_, inside_ = 0;
    bool open_ = false;
  };

private:
  struct State;
  State *start(); ///< this process's threads; nullptr when there are none to be had

  const unsigned helpers_;
  State *state_ = nullptr;
};

} // namespace meld::softgpu
