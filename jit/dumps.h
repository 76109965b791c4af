// Files for a person: MELD_DUMP_DIR/<first 12 digits of the object's hash>/...
//
//   ir        before.ll after.ll            optimised IR without and with melding
//   isa       <kernel>.before.s .after.s    machine code with block frequencies
//   cfg       <kernel>.before.dot .after.dot
//   decision  decisions.json
//
// A file replaces what has its name, also a link or a pipe; the object's folder is not entered
// where it is a link. Failing to write is reported once per file and changes nothing else.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <functional>
#include <string>

namespace meld::jit {

class Dumps {
public:
  /// `kinds` is a comma list; empty means all. An empty directory means none.
  Dumps(llvm::StringRef directory, llvm::StringRef kinds, llvm::StringRef object,
        std::function<void(const std::string &)> warn);
  bool wants(llvm::StringRef kind) const;
  /// `stem` may be any name (kernels' mangled names); it is made safe for a file system.
  void write(llvm::StringRef stem, llvm::StringRef suffix, llvm::StringRef text) const;

private:
  std::string directory_, kinds_;
  std::function<void(const std::string &)> warn_;
};

} // namespace meld::jit
