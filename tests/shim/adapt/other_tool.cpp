// Another HSA tool that makes intercept queues and times every launch, as profilers do: counts the
// dispatches it sees, and those whose kernel object it does not know from the executables.
#include "shim/hsa.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace {

CoreApiTable gCore;
AmdExtTable gAmd;
AmdExtTable *gAmdTable;
std::atomic<unsigned> gQueues{0};
std::atomic<unsigned long> gDispatches{0};

void handle(const void *packets, uint64_t count, uint64_t, void *,
            hsa_amd_queue_intercept_packet_writer write) {
  const auto *packet = static_cast<const hsa_kernel_dispatch_packet_t *>(packets);
  for (uint64_t i = 0; i < count; ++i)
    gDispatches += (packet[i].header & 0xff) == HSA_PACKET_TYPE_KERNEL_DISPATCH;
  write(packets, count);
}

hsa_status_t create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                    void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
                    uint32_t scratch, uint32_t lds, hsa_queue_t **queue) {
  // Through the table as it is now, so that tools after this one see it.
  const hsa_status_t status = gAmdTable->hsa_amd_queue_intercept_create_fn(
      agent, size, type, callback, data, scratch, lds, queue);
  if (status == HSA_STATUS_SUCCESS) {
    ++gQueues;
    gAmd.hsa_amd_queue_intercept_register_fn(*queue, handle, nullptr);
  }
  return status;
}

} // namespace

extern "C" __attribute__((visibility("default"))) bool OnLoad(HsaApiTable *table, uint64_t,
                                                              uint64_t, const char *const *) {
  gCore = *table->core_;
  gAmd = *table->amd_ext_;
  gAmdTable = table->amd_ext_;
  table->core_->hsa_queue_create_fn = create;
  std::atexit([] {
    std::fprintf(stderr, "other: %s queues, %lu dispatches\n", gQueues ? "some" : "no",
                 gDispatches.load());
  });
  return true;
}
extern "C" __attribute__((visibility("default"))) void OnUnload() {}
