// What an original code object and its replacement have in common, by name: kernels, variables,
// functions. For verification, where both are loaded at the same time.
//
//   original      .data: g @ 0x3000        replacement   .data: g @ 0x4010
//                 k.kd     @ 0x0600                      k.kd     @ 0x05c0
//
// The application knows the original's variables, so the replacement has to work on them. That
// takes a name on either side for everything that a kernel may change; where that is missing,
// `refused` says so. Constants that the application cannot reach stay each object's own.
//
// Thread rule: pure. Addresses are those in the files; loading adds one number to all of an object.
#pragma once

#include "runtime/codeobject/codeobject.h"

namespace meld {

struct MappedSymbol {
  std::string name;
  uint64_t original = 0, replacement = 0, size = 0;
  bool variable = false; ///< memory that is the original's for both
};

struct ObjectMap {
  uint64_t originalStart = 0, originalEnd = 0; ///< of the loaded segments
  uint64_t replacementStart = 0, replacementEnd = 0;
  std::vector<MappedSymbol> kernels; ///< descriptors; names without ".kd"
  std::vector<MappedSymbol> symbols;
  std::string refused; ///< why the two cannot be run beside each other; empty: they can
};

/// Errors: what parsing the objects says.
Result<ObjectMap> mapObjects(ByteView original, ByteView replacement);

} // namespace meld
