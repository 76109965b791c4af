// The SDMA engine: copies, fills, fences, polls, atomics and timestamps from a ring of dwords.
//
//   op 0 NOP (count in bits 16..29: further dwords to skip)   op 1.0 COPY linear      op 1.4 COPY
//   sub-window op 5 FENCE    op 6 TRAP (event id)    op 8 POLL_REGMEM    op 10 ATOMIC    op 11
//   CONST_FILL op 13 TIMESTAMP    op 17 GCR (nothing to do)
// Read and write pointers are byte counts that only grow; dword offset in the ring = pointer % ring
// bytes. Layouts: ROCr's sdma_registers.h; the Linux kernel's vega10_sdma_pkt_open.h names the same
// fields.
//
// Thread rule: step() runs on the queue's own thread. Errors: an unknown packet or an address that
// is not mapped halts the queue (with a memory fault event in the latter case).
#pragma once

#include "runtime/softgpu/kfd/services.h"

#include <cstdint>
#include <string>

namespace meld::softgpu {

class SdmaProcessor {
public:
  struct Ring {
    uint64_t base = 0, bytes = 0;
    uint64_t readPointer = 0;  ///< address of the 64-bit read pointer
    uint64_t writePointer = 0; ///< address of the 64-bit write pointer (the doorbell)
    unsigned queue = 0;        ///< its id
  };
  SdmaProcessor(const Ring &ring, const Services &services);
  Step step();

private:
  uint32_t dword(unsigned index) const;
  uint64_t address(unsigned index) const { return dword(index) | uint64_t{dword(index + 1)} << 32; }
  Step consume(unsigned dwords);
  Step copyLinear();
  Step copyRect();
  Step poll();
  Step atomic();
  Step fill();
  bool copy(uint64_t to, uint64_t from, uint64_t bytes);
  template <class F> bool eachPiece(uint64_t address, uint64_t bytes, bool write, F f);
  Step halt(const std::string &message);
  Step fault(uint64_t address);

  Ring ring_;
  Services services_;
  QueueClock clock_;
  uint64_t read_ = 0;
  bool empty_ = true; ///< the ring, at the last look
  bool halted_ = false;
  uint64_t faultAddress_ = 0;
};

} // namespace meld::softgpu
