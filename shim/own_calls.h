// Which calls through ROCr's table are libmeld's own.
//
// Thread rule: a mark of the thread.
#pragma once

namespace meld {

/// While one exists, what its thread calls through the table is libmeld's own: our hooks pass it on
/// as it is. For work outside of a hook, on a thread of ours.
class OwnCalls {
public:
  OwnCalls() noexcept;
  ~OwnCalls();
  OwnCalls(const OwnCalls &) = delete;
  OwnCalls &operator=(const OwnCalls &) = delete;

private:
  bool before_;
};

/// Whether one exists on this thread, or a hook of ours is at work on it.
bool inOwnCalls() noexcept;

} // namespace meld
