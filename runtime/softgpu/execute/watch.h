// What looks at every instruction as it executes: trace, profile, checkers.
//
// A dispatch that is watched takes a slower loop (runWatched); all others never test for it. Each
// worker of a dispatch has a Watch of its own with one Watcher per tool, so watchers need no locks;
// they hand their results over in finish().
//
//   groupStarted(g)                      registers and LDS are set up
//   before(i, w) ... [executes] ... after(i, w)
//   barrierOpened(g)                     every wave of g that still runs has arrived
//   finish()                             the worker has run its last workgroup
//
// A memory access that faults leaves the instruction by a long jump: after() is not called then.
// Thread rule: the thread of the worker.
#pragma once

#include "runtime/softgpu/counters/counters.h"
#include "runtime/softgpu/execute/launch.h"
#include "runtime/softgpu/execute/wave.h"

#include <memory>
#include <vector>

namespace meld::softgpu {

class Watcher {
public:
  virtual ~Watcher() = default;
  virtual void groupStarted(Workgroup &) {}
  virtual void before(const ExecInst *, Wave &) {}
  /// `w.status` is faulted when the instruction raised a fault.
  virtual void after(const ExecInst *, Wave &) {}
  virtual void barrierOpened(Workgroup &) {}
  virtual void finish() {}
};

/// What a dispatch makes watchers with. Shared by its workers.
class WatchFactory {
public:
  virtual ~WatchFactory() = default;
  /// nullptr: not interested in this dispatch.
  virtual std::unique_ptr<Watcher> make() = 0;
};

class Watch {
public:
  void add(std::unique_ptr<Watcher> w) { list_.push_back(std::move(w)); }
  bool empty() const { return list_.empty(); }

  void groupStarted(Workgroup &g) {
    for (auto &x : list_)
      x->groupStarted(g);
  }
  void before(const ExecInst *i, Wave &w) {
    for (auto &x : list_)
      x->before(i, w);
  }
  void after(const ExecInst *i, Wave &w) {
    for (auto &x : list_)
      x->after(i, w);
  }
  void barrierOpened(Workgroup &g) {
    for (auto &x : list_)
      x->barrierOpened(g);
  }
  void finish() {
    for (auto &x : list_)
      x->finish();
    list_.clear();
  }

private:
  std::vector<std::unique_ptr<Watcher>> list_;
};

/// As runWave(), with before() and after() around each instruction.
void runWatched(Wave &w, WaveCounters &c, Watch &watch);

} // namespace meld::softgpu
