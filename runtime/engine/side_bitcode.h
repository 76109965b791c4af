// Bitcode in files of its own, for code objects that carry none: MELD_BITCODE_PATH=FOLDER[:FOLDER...].
//
// Compilers that make code objects by themselves (Triton, for example) embed no bitcode, but can write
// it down. FOLDER/<hash>.bc is taken for the object whose bytes have that BLAKE3-256 hash, in hex, as
// `meld inspect` prints it. From there on it is as if the object had carried it: what is compiled from
// it has to pass the gate (names of kernels, kernarg layout, variables), and MELD_TRUST=verify asks for
// more (docs/interception.md).
//
// Whatever is wrong with a file is one warning that names it, and the object is as one without bitcode.
// Thread rule: pure functions of their arguments and of the files.
#pragma once

#include "runtime/codeobject/bytes.h"

#include <optional>
#include <string>
#include <vector>

namespace meld {

/// "1f...e0": by which a file for `codeObject` is named.
std::string sideBitcodeHash(ByteView codeObject);

/// What MELD_BITCODE_PATH names, in its order; empty parts name nothing.
std::vector<std::string> sideBitcodeFolders(const std::string &path);

struct SideBitcode {
  Bytes object;     ///< the code object with the bitcode in a section of its own
  std::string file; ///< where the bitcode was
};

/// What the first of the folders that has a file for the object has. Nothing: `path` is empty, the object
/// has bitcode or is none for an AMD GPU, or there is no file. Errors: the file, and what is wrong with it.
Result<std::optional<SideBitcode>> findSideBitcode(ByteView codeObject, const std::string &path);

/// findSideBitcode() with the log told: a file that is used, and, once for each, one that cannot be.
std::optional<Bytes> withSideBitcode(ByteView codeObject, const std::string &path);

} // namespace meld
