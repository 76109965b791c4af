// Names of kernels: HIP asks ROCr for every kernel's descriptor (KERNEL_OBJECT) through the symbol
// that also knows the name. We listen.
//
// libamdhip64 calls this function through its PLT, and the preloaded definition comes first. ROCr
// may have been opened RTLD_LOCAL, where RTLD_NEXT does not look: then it is asked for by file
// name.
#include "runtime/softgpu/execute/kernel_names.h"
#include "runtime/softgpu/kfd/next.h"

#include <cstdint>
#include <hsa/hsa.h>
#include <string>

using namespace meld::softgpu;

namespace {

using GetInfo = hsa_status_t (*)(hsa_executable_symbol_t, hsa_executable_symbol_info_t, void *);

GetInfo real() {
  static std::atomic<GetInfo> known{nullptr};
  if (GetInfo f = known.load(std::memory_order_acquire))
    return f;
  void *f = ::dlsym(RTLD_NEXT, "hsa_executable_symbol_get_info");
  if (!f)
    if (void *library = ::dlopen("libhsa-runtime64.so.1", RTLD_NOLOAD | RTLD_LAZY))
      f = ::dlsym(library, "hsa_executable_symbol_get_info");
  known.store(reinterpret_cast<GetInfo>(f), std::memory_order_release);
  return reinterpret_cast<GetInfo>(f);
}

void learn(GetInfo info, hsa_executable_symbol_t symbol, uint64_t descriptor) noexcept {
  try {
    uint32_t length = 0;
    if (info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length) != HSA_STATUS_SUCCESS ||
        !length || length > (1u << 20))
      return;
    std::string name(length, '\0');
    if (info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name.data()) == HSA_STATUS_SUCCESS) {
      std::string_view text = name;
      if (text.ends_with(".kd"))
        text.remove_suffix(3);
      const KernelName known = kernelName(descriptor);
      if (known.name != text) // libmeld may have said more: keep that
        nameKernel(descriptor, text, false);
    }
  } catch (...) { // a name less
  }
}

} // namespace

MELD_EXPORT hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t symbol,
                                                        hsa_executable_symbol_info_t attribute,
                                                        void *value) {
  const GetInfo info = real();
  if (!info)
    return HSA_STATUS_ERROR_NOT_INITIALIZED;
  const hsa_status_t status = info(symbol, attribute, value);
  if (status == HSA_STATUS_SUCCESS && attribute == HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT &&
      value)
    learn(info, symbol, *static_cast<uint64_t *>(value));
  return status;
}
