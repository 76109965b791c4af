// What compiles: libmeld-jit.so in this process (jit_library.h) or in one of its own (helper.h); which of
// them, open_compiler.h knows.
#pragma once

#include "jit/api.h"
#include "runtime/codeobject/bytes.h"
#include "runtime/settings/settings.h"

#include <chrono>
#include <functional>
#include <memory>

namespace meld {

struct JitOutcome {
  MeldJitStatus status = MELD_JIT_FAILED;
  bool permanent = false; ///< a failure that would happen again: worth a cache entry
  Bytes codeObject;
  std::string metadata, reason;
};

/// A version of one kernel, by a recipe of jit/variant/recipes.h; empty: a replacement of the whole
/// object.
struct VersionWanted {
  std::string kernel, recipe;
  std::string facts = {};
  /// What a recorded run tells of the whole object (jit/api.h), whatever is wanted of it. The engine
  /// fills it in.
  std::string profile = {};
  bool empty() const { return recipe.empty(); }
};

/// Told in the middle of a compile what one without our passes takes, and what is at least to come of
/// this one (jit/api.h). On the thread that compiles.
using PlainTakes = std::function<void(std::chrono::milliseconds, std::chrono::milliseconds rest)>;

/// Any thread.
class Compiler {
public:
  virtual ~Compiler() = default;

  /// Never throws but for memory. May take seconds; call it without holding a lock. `plainTakes`
  /// may be empty, and may never be called.
  virtual JitOutcome compile(ByteView codeObject, const std::string &isa, const Settings &settings,
                             const VersionWanted &version = {},
                             const PlainTakes &plainTakes = {}) const = 0;
  /// What cache entries name as their maker. Known after the first compile at the latest.
  virtual std::string version() const = 0;
  /// Has `stop` called at exit, before this compiler's own exit handlers; again calls do nothing.
  virtual void atExit(void (*)()) const {}
  /// The running compiles come back as failed as soon as they can; no other starts.
  virtual void cancel() const noexcept = 0;
  /// After cancel(), for what it did not stop: true when the process can end.
  virtual bool freeze(unsigned milliseconds) const noexcept = 0;
};

} // namespace meld
