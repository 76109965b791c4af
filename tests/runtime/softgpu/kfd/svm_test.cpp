#include "runtime/softgpu/kfd/svm.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <vector>

namespace meld::softgpu {
namespace {

using Attributes = std::vector<kfd_ioctl_svm_attribute>;

int run(Svm &svm, uint32_t op, uint64_t start, uint64_t size, Attributes &attributes) {
  std::vector<char> buffer(sizeof(kfd_ioctl_svm_args));
  auto &args = *reinterpret_cast<kfd_ioctl_svm_args *>(buffer.data());
  args.op = op;
  args.start_addr = start;
  args.size = size;
  args.nattr = static_cast<uint32_t>(attributes.size());
  return svm.run(args, attributes.data());
}
int set(Svm &svm, uint64_t start, uint64_t size, Attributes a) {
  return run(svm, KFD_IOCTL_SVM_OP_SET_ATTR, start, size, a);
}
uint32_t get(Svm &svm, uint64_t start, uint64_t size, uint32_t type) {
  Attributes a{{type, 0}};
  EXPECT_EQ(run(svm, KFD_IOCTL_SVM_OP_GET_ATTR, start, size, a), 0);
  return a[0].value;
}

TEST(Svm, EchoesWhatWasSet) {
  Svm svm;
  EXPECT_EQ(set(svm, 0x10000, 0x4000,
                {{KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 51234}, {KFD_IOCTL_SVM_ATTR_GRANULARITY, 5}}),
            0);
  EXPECT_EQ(get(svm, 0x10000, 0x4000, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC), 51234u);
  EXPECT_EQ(get(svm, 0x11000, 0x1000, KFD_IOCTL_SVM_ATTR_GRANULARITY), 5u);
  EXPECT_EQ(get(svm, 0x11000, 0x1000, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC),
            uint32_t(KFD_IOCTL_SVM_LOCATION_UNDEFINED));
}

TEST(Svm, RangesSplitAndDisagreementIsUndefined) {
  Svm svm;
  set(svm, 0x10000, 0x4000, {{KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, 1}});
  set(svm, 0x12000, 0x1000, {{KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, 2}});
  EXPECT_EQ(get(svm, 0x10000, 0x2000, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC), 1u);
  EXPECT_EQ(get(svm, 0x12000, 0x1000, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC), 2u);
  EXPECT_EQ(get(svm, 0x13000, 0x1000, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC), 1u);
  EXPECT_EQ(get(svm, 0x10000, 0x4000, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC),
            uint32_t(KFD_IOCTL_SVM_LOCATION_UNDEFINED));
  EXPECT_EQ(get(svm, 0x20000, 0x1000, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC),
            uint32_t(KFD_IOCTL_SVM_LOCATION_UNDEFINED));
}

TEST(Svm, FlagsAreSetAndCleared) {
  Svm svm;
  set(svm, 0x10000, 0x2000,
      {{KFD_IOCTL_SVM_ATTR_SET_FLAGS, KFD_IOCTL_SVM_FLAG_COHERENT | KFD_IOCTL_SVM_FLAG_GPU_RO}});
  set(svm, 0x11000, 0x1000, {{KFD_IOCTL_SVM_ATTR_CLR_FLAGS, KFD_IOCTL_SVM_FLAG_GPU_RO}});
  EXPECT_EQ(get(svm, 0x10000, 0x1000, KFD_IOCTL_SVM_ATTR_SET_FLAGS),
            uint32_t(KFD_IOCTL_SVM_FLAG_COHERENT | KFD_IOCTL_SVM_FLAG_GPU_RO));
  EXPECT_EQ(get(svm, 0x10000, 0x2000, KFD_IOCTL_SVM_ATTR_SET_FLAGS),
            uint32_t(KFD_IOCTL_SVM_FLAG_COHERENT));
}

TEST(Svm, AccessIsAskedPerDevice) {
  Svm svm;
  set(svm, 0x10000, 0x1000, {{KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE, 51234}});
  Attributes a{{KFD_IOCTL_SVM_ATTR_ACCESS, 51234}, {KFD_IOCTL_SVM_ATTR_ACCESS, 1}};
  EXPECT_EQ(run(svm, KFD_IOCTL_SVM_OP_GET_ATTR, 0x10000, 0x1000, a), 0);
  EXPECT_EQ(a[0].type, uint32_t(KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE));
  EXPECT_EQ(a[1].type, uint32_t(KFD_IOCTL_SVM_ATTR_NO_ACCESS));
}

TEST(Svm, BadArgumentsAreRefused) {
  Svm svm;
  EXPECT_EQ(set(svm, 0x10001, 0x1000, {}), -EINVAL);
  EXPECT_EQ(set(svm, 0x10000, 0, {}), -EINVAL);
  EXPECT_EQ(set(svm, ~0xfffull, 0x2000, {}), -EINVAL);
  EXPECT_EQ(set(svm, 0x10000, 0x1000, {{99, 0}}), -EINVAL);
  Attributes none;
  EXPECT_EQ(run(svm, 7, 0x10000, 0x1000, none), -EINVAL);
}

} // namespace
} // namespace meld::softgpu
