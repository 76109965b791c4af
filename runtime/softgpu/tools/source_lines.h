// Source lines of kernels that ran, from the files that may hold their code.
//
// A file's kernel counts only where it is the code that ran: the disassembly at each offset has to
// be what was recorded. Thread rule: of() may be called by any thread once all files are open.
#pragma once

#include "runtime/softgpu/tools/line_table.h"
#include "runtime/softgpu/tools/object_file.h"

#include <optional>
#include <span>

namespace meld::softgpu {

/// An instruction as a profile has it: bytes from the kernel's first one, disassembly.
struct RanCode {
  int64_t offset = 0;
  std::string text;
};

/// The lines of one kernel.
class KernelLines {
public:
  KernelLines(LineTable table, uint64_t entry) : table_(std::move(table)), entry_(entry) {}
  /// nullptr: none is known.
  const SourceLine *at(int64_t offset) const { return table_.at(entry_ + uint64_t(offset)); }

private:
  LineTable table_;
  uint64_t entry_;
};

class SourceLines {
public:
  /// A file that cannot be read, or has no code objects, becomes a note.
  void open(const std::string &path);
  const std::vector<std::string> &notes() const { return notes_; }

  /// The lines of a kernel; nullopt and why in `note` (empty where no file is open at all).
  std::optional<KernelLines> of(const std::string &kernel, const std::string &device,
                                std::span<const RanCode> code, bool replaced,
                                std::string &note) const;

private:
  std::vector<ObjectFile> files_;
  std::vector<std::string> notes_;
};

/// A path without its folders.
std::string fileName(const std::string &path);

} // namespace meld::softgpu
