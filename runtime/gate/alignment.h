// What alignment a variable has been promised, as opposed to what its address happens to have.
//
//     .data of the original              .data of the replacement
//     0x00  float table[4]               0x00  int counter
//     0x10  int counter   <- 16          0x04  float table[4]   <- 4, as declared
//
// Who finds a variable by its name (the host, another object) may rely on its declaration alone:
// its type's alignment, or alignas. An object file does not hold it. An address has at least that
// much and, by chance of what lies in front of it, mostly more. So the compiler of the replacement,
// which sees the declarations, writes them down in the section `.meld`:
//     {"variables": {"counter": 4, "table": 4}, ...}
// What is not there gets the most that its declaration can have asked for: no more than its address
// has, than its section asks for, and than a type of its size can need.
#pragma once

#include "runtime/codeobject/codeobject.h"

#include <map>
#include <optional>

namespace meld {

class PromisedAlignment {
public:
  /// Both must outlive it. Nothing is read before it is asked for.
  PromisedAlignment(const CodeObject &original, const CodeObject &replacement)
      : original_(original), replacement_(replacement) {}

  /// Of `variable`, a symbol of the original; bytes.
  uint64_t of(const ElfSymbol &variable);

  /// What the address gives: a power of two, at most a page (objects are loaded at pages).
  static uint64_t ofAddress(uint64_t address);

private:
  uint64_t mostAsked(const ElfSymbol &variable) const;
  const std::map<std::string, uint64_t, std::less<>> &declared();

  const CodeObject &original_, &replacement_;
  std::optional<std::map<std::string, uint64_t, std::less<>>> declared_;
};

} // namespace meld
