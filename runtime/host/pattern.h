// Regular expressions of settings: POSIX extended, bounded before any engine sees them.
//
// Engines break on what a person does not write but an environment may hold: libstdc++'s recurses
// once per character of the pattern and of the text, glibc's and LLVM's multiply memory with every
// nested {m,n}. So a pattern is at most kMaxPattern characters long, its groups are at most
// kMaxGroups deep, and what its repetitions unfold to is at most kMaxUnfolded items:
//
//   (a{1,200}){1,200}   unfolds to 200 * 200 items: refused
//
// Also refused: escapes of letters and digits (\d, \w, back references), which POSIX does not know,
// and a repetition of a repetition (a**), which LLVM's engine does not. Costs: linear in the
// pattern; matching is glibc's regexec without back references.
#pragma once

#include "runtime/result.h"

#include <memory>
#include <string>
#include <string_view>

namespace meld {

inline constexpr size_t kMaxPattern = 1000, kMaxGroups = 20, kMaxUnfolded = 2000;

class Pattern {
public:
  /// Errors: badInput, with what is wrong; the pattern itself is not repeated.
  static Result<Pattern> compile(std::string_view text);
  /// Somewhere in `text`. Any thread.
  bool matches(const std::string &text) const;

private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

} // namespace meld
