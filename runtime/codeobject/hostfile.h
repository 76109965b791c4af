// All device code in a file a person names: a HIP executable or library (section .hip_fatbin), an
// offload bundle, or a bare code object.
#pragma once

#include "runtime/codeobject/bundle.h"

namespace meld {

struct DeviceImage {
  std::string id;      ///< bundle id, or the target id of a bare object
  uint64_t offset = 0; ///< in the file
  ByteView bytes;      ///< a code object; empty for a compressed bundle (see note)
  std::string note;    ///< why there are no bytes
};

/// Views into `bytes`. A .hip_fatbin section may hold several bundles (one per translation unit),
/// padded to 4096. Errors: notFound when the file has no device code; badInput with an offset in
/// the file.
Result<std::vector<DeviceImage>> findDeviceImages(ByteView bytes);

} // namespace meld
