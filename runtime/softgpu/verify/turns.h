// Dispatches one at a time while programs are verified: what another dispatch writes meanwhile
// would look like a difference.
//
//   queue 1  [ original | replacement | compare ]
//   queue 2      waits ......................... [ original | ...
//
// A dispatch may itself wait for another one (a flag that a kernel on another stream sets), so
// nobody waits longer than `patience` for an original to end. Then both run side by side and both
// know it: overlapped(). Replacements end by themselves (their runs are limited), so they are
// waited for without a limit.
//
// Thread rule: any thread. Terminates: by the above.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace meld::softgpu::verify {

class Turns {
public:
  using Milliseconds = std::chrono::milliseconds;
  explicit Turns(Milliseconds patience) : patience_(patience) {}

  /// One dispatch's turn, from construction to destruction.
  class Turn {
  public:
    explicit Turn(Turns &turns);
    ~Turn();
    Turn(const Turn &) = delete;
    /// The original has ended: from here on this turn ends without anybody's help.
    void originalEnded();
    /// Another dispatch ran during this turn.
    bool overlapped() const;
    /// Somebody waited for this turn in vain: its kernel may wait for others.
    bool heldUp() const;

  private:
    friend class Turns;
    Turns &turns_;
    bool needsOthers_ = true, overlapped_ = false, heldUp_ = false;
  };

  /// The process's; all devices share their memory.
  static Turns &instance();

private:
  const Milliseconds patience_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Turn *> running_;
};

} // namespace meld::softgpu::verify
