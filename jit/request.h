// What is asked of one compile (compile.h), and what comes back.
#pragma once

#include "jit/options_gate.h"
#include "passes/options.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <functional>
#include <string>

namespace meld::jit {

/// How much of what the code object says of its bitcode is believed (MELD_TRUST).
enum class Trust : uint8_t {
  interface, ///< that it is the code's own
  verify,    ///< nothing: without changes it has to give the original's bytes
};

struct CompileRequest {
  llvm::StringRef codeObject;
  std::string isa;          ///< the agent's target id; "" = not checked
  passes::MeldOptions meld; ///< include and exclude choose among the kernels
  Trust trust = Trust::interface;
  /// One kernel made as variant/recipes.h says, as a code object of its own that is loaded beside
  /// the original; both or none. What else is asked holds, but for passes, minProfit and force,
  /// which are the recipe's.
  std::string kernel, recipe;
  /// For the recipe that asks for them: what launches of the version have in common
  /// (passes/specialize/facts.h).
  std::string facts;
  /// How the kernels run, as text of runtime/profile/profile.h; "" = nobody knows.
  std::string profile;
  std::string dumpDir, dump;
  std::function<void(int level, const std::string &message)> log;
  OptionsGate options;
  /// What a compile without our passes takes, and what is to come of this one, as soon as it is known
  /// (api.h).
  std::function<void(double milliseconds, double rest)> plainTakes;
};

struct CompileReply {
  enum class Status { replaced, unchanged, failed } status = Status::failed;
  bool permanent = false;
  std::string bytes, json, reason;
};

} // namespace meld::jit
