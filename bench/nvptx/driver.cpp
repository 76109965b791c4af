#include "bench/nvptx/driver.h"

namespace meld::nvptx {

Driver::Driver() : library_(dlopen("libcuda.so.1", RTLD_NOW)) {
  int devices = 0, device = 0;
  Handle context = nullptr;
  if (!library_ || call("cuInit", 0u) != 0 || call("cuDeviceGetCount", &devices) != 0 || !devices)
    return;
  need("cuDeviceGet", &device, 0);
  need("cuDeviceGetName", name_, int{sizeof name_}, device);
  need("cuDriverGetVersion", &version_);
  need("cuDevicePrimaryCtxRetain", &context, device);
  need("cuCtxSetCurrent", context);
  usable_ = true;
}

const Driver *Driver::get() {
  static const Driver driver;
  return driver.usable_ ? &driver : nullptr;
}

} // namespace meld::nvptx
