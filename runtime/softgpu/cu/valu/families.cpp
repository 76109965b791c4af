// Families not written yet.
#include "runtime/softgpu/cu/valu/op_info.h"
namespace meld::softgpu::valu {
void addInteger16(OpTable &) {}
void addFloat64(OpTable &) {}
void addFloat16(OpTable &) {}
void addTranscendentals(OpTable &) {}
void addDivision(OpTable &) {}
void addMedia(OpTable &) {}
void addPacked(OpTable &) {}
void addDot(OpTable &) {}
void addMatrix(OpTable &) {}
} // namespace meld::softgpu::valu
