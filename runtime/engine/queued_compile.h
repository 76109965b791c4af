// One compile in the queue or in flight. For engine.cpp and compile_queue.cpp alone.
#pragma once

#include "runtime/cache/key.h"
#include "runtime/engine/compiler.h"
#include "runtime/engine/decision.h"

#include <chrono>
#include <optional>

namespace meld {

inline constexpr char kEnding[] = "the process ends";

inline std::string shortKey(const CacheKey &key) { return key.hex().substr(0, 12); }

/// An entry whose code object is larger than this is not read: it cannot be a recompile of the
/// original.
inline uint64_t largestReplacement(ByteView original) {
  return 4 * uint64_t(original.size()) + (uint64_t(16) << 20);
}

/// Others that want the same key wait for it.
struct QueuedCompile {
  CacheKey key;
  Bytes original;
  VersionWanted version;
  uint64_t number = 0; ///< in the order of arrival
  bool begun = false;
  bool ready = true; ///< false: the remote is asked first
  bool done = false;
  bool overdue = false; ///< someone has waited for as long as they may
  bool patient = false; ///< only a thread of ours waits
  /// By then it has taken as much longer than comgr alone as anyone waits for, or it is known that it
  /// will; unknown at first.
  std::optional<std::chrono::steady_clock::time_point> tooLong;
  Decision result;
};

} // namespace meld
