// A code object in memory, without ROCm: its segments at one address, its kernels' descriptors.
#pragma once

#include "runtime/softgpu/device/gpu.h"
#include "runtime/softgpu/tools/object_file.h"

#include <string>
#include <vector>

namespace meld::bench {

class LoadedKernels {
public:
  /// Errors: those of ObjectFile; notFound when there is no code object.
  static Result<LoadedKernels> load(const std::string &file);
  /// Runs `kernel(data, n)` with workgroups of 256. Errors: notFound, or what the dispatch says.
  Result<softgpu::DispatchResult> run(softgpu::Gpu &gpu, const std::string &kernel, uint32_t items,
                                      void *data, uint32_t n) const;

private:
  std::vector<uint8_t> image_; ///< with room to align
  uint8_t *base_ = nullptr;
  std::shared_ptr<softgpu::ObjectFile> file_;
};

} // namespace meld::bench
