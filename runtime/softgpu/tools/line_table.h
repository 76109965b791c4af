// Source lines of a code object: reads .debug_line (DWARF 2 to 5), nothing else.
//
// Enough to say which file and line an instruction came from; inlined call stacks are in
// .debug_info, which is not read. Untrusted input: every read is checked, an error names what was
// being read and its offset. Source: DWARF Debugging Information Format, version 5, section 6.2.
// Thread rule: immutable once read.
#pragma once

#include "runtime/codeobject/elf.h"

#include <cstdint>
#include <string>
#include <vector>

namespace meld::softgpu {

struct SourceLine {
  std::string file; ///< with its folder as the compiler gave it
  uint32_t line = 0;
};

class LineTable {
public:
  /// Errors: notFound (no .debug_line: compiled without -g), badInput, unsupported (compressed).
  static Result<LineTable> read(const Elf &elf);

  /// The line of the instruction at a virtual address of the object; nullptr: none is known.
  const SourceLine *at(uint64_t address) const;
  size_t size() const { return rows_.size(); }

private:
  struct Row {
    uint64_t address;
    uint32_t source; ///< index into sources_, kNone at the end of a sequence
  };
  static constexpr uint32_t kNone = ~0u;
  friend class LineProgram;

  std::vector<Row> rows_; ///< by address
  std::vector<SourceLine> sources_;
};

} // namespace meld::softgpu
