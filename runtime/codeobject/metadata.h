// Kernel metadata of a code object: the NT_AMDGPU_METADATA note (MessagePack), versions 3 to 6.
//
// Source: LLVM AMDGPUUsage, "Code Object V3 Metadata" and later; sizes are bytes.
#pragma once

#include "runtime/codeobject/elf.h"

#include <array>

namespace meld {

struct KernelArg {
  uint64_t offset = 0, size = 0;
  std::string valueKind;    ///< by_value, global_buffer, hidden_global_offset_x, ...
  std::string addressSpace; ///< empty when not given
  bool hidden() const { return valueKind.rfind("hidden_", 0) == 0; }
  bool operator==(const KernelArg &) const = default;
};

struct KernelMetadata {
  std::string name;   ///< as HIP looks it up
  std::string symbol; ///< the descriptor's symbol, "<name>.kd"
  uint64_t kernargSize = 0, kernargAlign = 0;
  uint64_t groupSize = 0;   ///< LDS, static part
  uint64_t privateSize = 0; ///< scratch per work-item
  uint64_t sgprs = 0, vgprs = 0, agprs = 0;
  uint64_t sgprSpills = 0, vgprSpills = 0;
  uint64_t wavefrontSize = 0;
  uint64_t maxFlatWorkgroupSize = 0;
  std::optional<std::array<uint64_t, 3>> reqdWorkgroupSize;
  bool usesDynamicStack = false;
  bool cooperative = false; ///< takes hidden_multigrid_sync_arg: may be launched cooperatively
  std::vector<KernelArg> args;
};

struct CodeObjectMetadata {
  unsigned versionMajor = 0, versionMinor = 0;
  std::string target; ///< amdhsa.target (version 4 and later), else empty
  std::vector<KernelMetadata> kernels;
  /// amdhsa.printf: formats of a printf whose buffer the host reads at the end.
  bool printf = false;
  /// Why the kernels of a further note are not among these, if a file has one that comgr does not
  /// merge, either. Empty in all other cases.
  std::string unmerged;
  const KernelMetadata *find(std::string_view name) const;
};

/// Parses the description of the note. Unknown keys are ignored; a missing required key is an error
/// that names the kernel and the key. Never throws.
Result<CodeObjectMetadata> parseMetadata(ByteView description);

/// Finds the notes and parses them. Errors: notFound when there is none.
///
/// A link of several relocatables (-fgpu-rdc, partitions of LTO) leaves a note of each. HIP sees
/// them as comgr merges them: the kernels of all, if all are of one version, and one at most has
/// amdhsa.printf. A kernel that several have (a template's) is there once; its code is that of one
/// of them, so they must agree on its arguments.
Result<CodeObjectMetadata> readMetadata(const Elf &elf);

} // namespace meld
