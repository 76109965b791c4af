// Families not written yet.
#include "runtime/softgpu/cu/valu/op_info.h"
namespace meld::softgpu::valu {
void addMatrix(OpTable &) {}
} // namespace meld::softgpu::valu
