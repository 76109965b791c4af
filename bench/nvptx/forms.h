// What build.py wrote of one program: its kernels as PTX in several forms, and what each expects.
//
//   plain        as LLVM makes it
//   melded       with libmeld's passes as they are by default
//   flattened    and with nested loops made one
//   forced       all that is legal, whatever it costs: a test of what is right, not of what pays
//   specialised  melded, for launches of which certain facts hold; one file for each kernel
//
// PROGRAM.json: {"forms": {"plain": {"ptx": FILE}, "melded": {"ptx": FILE, "changed": [ENTRY, ...]}},
//                "specialised": [{"entry", "ptx", "facts"}]}       (facts: passes/specialize/facts.h)
// The PTX tells the rest: each entry's parameters, and in a comment that build.py has put there how much
// shared memory the launch has to add ("// dynamic ENTRY BYTES").
//
// Errors: std::runtime_error, with the file's name, also for PTX and facts that are not understood.
// Thread rule: values.
#pragma once

#include "passes/specialize/facts.h"

#include <map>
#include <string>
#include <vector>

namespace meld::nvptx {

struct Parameter {
  unsigned offset, size; ///< bytes in the argument block, each at its own alignment
  bool pointerSized;     ///< one 64-bit value, which may be an address
};

struct Form {
  std::string name, ptx;            ///< the PTX itself
  std::vector<std::string> changed; ///< entries that differ from the plain form's
  Facts facts;                      ///< that a launch has to fulfil; empty: none

  bool changes(const std::string &entry) const;
};

struct Forms {
  std::vector<Form> all;                                    ///< the first one is the plain form
  std::map<std::string, std::vector<Parameter>> parameters; ///< by entry

  static Forms read(const std::string &manifest);
};

/// Of every entry, in order.
std::map<std::string, std::vector<Parameter>> parametersOf(const std::string &ptx);

/// Shared memory that a launch of this entry has to add to the program's own; 0 mostly.
unsigned dynamicSharedOf(const std::string &ptx, const std::string &entry);

} // namespace meld::nvptx
