// All device code in a file a person names: a HIP executable or library (section .hip_fatbin), an
// offload bundle, or a bare code object.
#pragma once

#include "runtime/codeobject/bundle.h"

#include <memory>

namespace meld {

struct DeviceImage {
  std::string id;      ///< bundle id, or the target id of a bare object
  uint64_t offset = 0; ///< in the file; of the compressed bundle where it comes out of one
  ByteView bytes;      ///< a code object; empty when a compressed bundle cannot be read (see note)
  std::string note;    ///< why there are no bytes
  std::shared_ptr<const Bytes> unpacked = {}; ///< what `bytes` looks into, where not the file
  size_t bundle = 0; ///< which of the file's bundles it is of: HIP chooses one object of each
};

/// Views into `bytes`, or into what was unpacked. A .hip_fatbin section may hold several bundles
/// (one per translation unit), padded to 4096. Errors: notFound when the file has no device code;
/// badInput with an offset in the file.
Result<std::vector<DeviceImage>> findDeviceImages(ByteView bytes);

} // namespace meld
