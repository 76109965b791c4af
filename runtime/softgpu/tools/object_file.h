// The code objects in a file a person names (executable, library, bundle, bare code object) and
// the kernels in them.
#pragma once

#include "runtime/codeobject/codeobject.h"
#include "runtime/host/text.h"

#include <memory>
#include <string>
#include <vector>

namespace meld::softgpu {

/// Where a kernel's code lies in a code object.
struct KernelPlace {
  const CodeObject *object = nullptr;
  std::string name;   ///< as in the metadata
  uint64_t entry = 0; ///< virtual address of the first instruction
  uint64_t size = 0;  ///< bytes of its symbol, 0 when there is none
  unsigned waveSize = 64;
};

class ObjectFile {
public:
  /// Errors: io, and those of findDeviceImages. Objects that do not parse are left out (`skipped`).
  static Result<ObjectFile> open(const std::string &path);

  const std::vector<std::unique_ptr<CodeObject>> &objects() const { return objects_; }
  const std::vector<std::string> &skipped() const { return skipped_; }
  /// Kernels of one object, in the order of the metadata.
  static std::vector<KernelPlace> kernels(const CodeObject &object);
  /// Every place of a kernel of that name for that processor (any, when empty).
  std::vector<KernelPlace> find(std::string_view kernel, std::string_view processor) const;

private:
  std::unique_ptr<Bytes> bytes_;                       ///< what the objects are views of
  std::vector<std::shared_ptr<const Bytes>> unpacked_; ///< those out of compressed bundles
  std::vector<std::unique_ptr<CodeObject>> objects_;
  std::vector<std::string> skipped_;
};

} // namespace meld::softgpu
