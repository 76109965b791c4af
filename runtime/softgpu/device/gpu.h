// The device as the driver sees it: run one AQL kernel-dispatch packet to completion.
//
// Thread rule: Gpu is shared; run() may be called from several queue threads at once (a kernel may wait for
// another queue or the host). Each call uses its own thread plus workers of a shared pool.
// Errors: DispatchResult; never throws, never aborts.
#pragma once

#include "runtime/softgpu/execute/dispatch.h"

#include <memory>

namespace meld::softgpu {

class Gpu {
public:
  /// nullptr, and a line on what is missing in `problem`, when this host cannot run the device
  /// (AVX2, FMA, F16C) or the configuration is not one.
  static std::unique_ptr<Gpu> create(const DeviceConfig &config, AddressMapper *mapper = nullptr,
                                     std::string *problem = nullptr);
  virtual ~Gpu() = default;
  virtual DispatchResult run(const DispatchRequest &request) = 0;
  /// Code at any address may have changed (PM4 ACQUIRE_MEM, new code object): drop what was decoded.
  virtual void invalidateCode() = 0;
  virtual const DeviceConfig &config() const = 0;
};

} // namespace meld::softgpu
