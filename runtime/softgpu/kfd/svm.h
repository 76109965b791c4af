// Attributes of shared-virtual-memory ranges (the SVM ioctl). All memory is the host's, so an
// attribute changes nothing; it is stored and given back. What was given access to a device is in
// its kernels' reach, which checked mode asks for.
//
// Thread rule: thread-safe.
#pragma once

#include <cstdint>
#include <linux/kfd_ioctl.h>
#include <map>
#include <mutex>

namespace meld::softgpu {

class Svm {
public:
  /// `args` followed by args.nattr attributes. Returns 0 or -errno; GET_ATTR fills the values.
  int run(kfd_ioctl_svm_args &args, kfd_ioctl_svm_attribute *attributes);

  /// True when the device was given access to every byte of [address, address+size).
  bool accessible(uint64_t address, uint64_t size, uint32_t gpuId) const;

private:
  struct Range {
    uint64_t end = 0;
    std::map<uint32_t, uint32_t> values; ///< KFD_IOCTL_SVM_ATTR_* -> value; flags under kFlags
    std::map<uint32_t, uint32_t> access; ///< gpu id -> access attribute
  };
  void split(uint64_t address);
  mutable std::mutex mutex_;
  std::map<uint64_t, Range> ranges_; ///< start -> range, disjoint
};

} // namespace meld::softgpu
