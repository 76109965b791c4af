// Scalar reference of what memory instructions do to one lane, written from the manual's pseudo
// code, sharing no code with the implementation. An element is described by its mnemonic without
// encoding prefix.
#pragma once

#include <cstdint>
#include <string>

namespace meld::softgpu::test {

/// Registers and memory of one lane's access. `bytes` is the memory the lane sees, at most 16
/// bytes.
struct LaneAccess {
  uint8_t *bytes;
  uint32_t data[4] = {};  ///< vdata / DATA0 registers
  uint32_t data2[4] = {}; ///< DS DATA1 registers
  uint32_t dst[4] = {};   ///< in: old destination, out: new
};

struct ElementInfo {
  unsigned bytes = 0; ///< of memory; 0: unknown name
  unsigned dst = 0;   ///< destination dwords (atomics: when they return)
  unsigned data = 0;  ///< data dwords (cmpswap: both operands)
  bool atomic = false, load = false;
};

/// name: "load_dwordx2", "atomic_add_x2", "read_u16_d16_hi", "write_b96", "cmpst_b64", "min_f32"
/// ...
ElementInfo elementInfo(const std::string &name);

/// Performs the access. `lds`: DS semantics of names that both have.
void accessLane(const std::string &name, LaneAccess &lane, uint32_t mode);

} // namespace meld::softgpu::test
