// Families not written yet.
#include "runtime/softgpu/cu/valu/op_info.h"
namespace meld::softgpu::valu {
void addMedia(OpTable &) {}
void addPacked(OpTable &) {}
void addDot(OpTable &) {}
void addMatrix(OpTable &) {}
} // namespace meld::softgpu::valu
