// Runs one kernel of a code object on the software GPU without the HIP runtime: a small loader and
// one dispatch.
#pragma once

#include "runtime/softgpu/device/gpu.h"

#include <array>
#include <cstdint>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>
#include <memory>
#include <string>
#include <vector>

namespace meld::fuzz {

/// A zeroed, page-aligned mapping inside the device's address window, freed with the object.
class DeviceMemory {
public:
  explicit DeviceMemory(size_t bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;
  uint8_t *data() const { return data_; }
  uint64_t address() const { return reinterpret_cast<uint64_t>(data_); }

private:
  bool map(uint64_t from, uint64_t to, uint64_t step); ///< at the first free step

  uint8_t *data_ = nullptr;
  size_t bytes_;
};

struct Launch {
  std::string kernel;
  uint32_t blocks = 1, blockSize = 64;                         ///< in x
  std::array<uint32_t, 2> moreBlocks{1, 1}, moreThreads{1, 1}; ///< in y and z
  uint32_t dynamicLds = 0;                                     ///< bytes
  uint64_t instructionLimit = 0;                               ///< of all waves; 0: none
  std::vector<uint8_t> arguments; ///< the kernarg segment, explicit arguments
};

/// A code object in device memory, ready for any number of dispatches.
class LoadedCode {
public:
  /// An AMDGPU ET_DYN; relocations may refer to itself only.
  static llvm::Expected<LoadedCode> load(llvm::StringRef codeObject);
  llvm::Expected<softgpu::DispatchResult> run(softgpu::Gpu &gpu, const Launch &launch) const;

private:
  std::unique_ptr<DeviceMemory> image_;
  llvm::StringMap<uint64_t> descriptors_; ///< "kernel.kd": offset in the image
};

/// Loads `codeObject` (an AMDGPU ET_DYN without relocations against other objects), dispatches and
/// waits.
llvm::Expected<softgpu::DispatchResult> launch(softgpu::Gpu &gpu, llvm::StringRef codeObject,
                                               const Launch &launch);

} // namespace meld::fuzz
