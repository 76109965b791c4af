#include "shim/verify/allocations.h"

#include "runtime/softgpu/verify_abi.h"

#include <algorithm>
#include <dlfcn.h>

namespace meld {
namespace {

AmdExtTable *gTable = nullptr;
decltype(AmdExtTable::hsa_amd_memory_pool_allocate_fn) gAllocate = nullptr;
decltype(AmdExtTable::hsa_amd_memory_pool_free_fn) gFree = nullptr;
decltype(&meld_softgpu_verify_allocation) gTell = nullptr;

hsa_status_t allocate(hsa_amd_memory_pool_t pool, size_t size, uint32_t flags,
                      void **result) noexcept {
  const hsa_status_t status = gAllocate(pool, size, flags, result);
  if (status == HSA_STATUS_SUCCESS && size)
    gTell(reinterpret_cast<uint64_t>(*result), size);
  return status;
}

hsa_status_t release(void *memory) noexcept {
  // Before the call: afterwards the address may be another thread's new allocation.
  gTell(reinterpret_cast<uint64_t>(memory), 0);
  return gFree(memory);
}

} // namespace

void watchAllocations(HsaApiTable &table) noexcept {
  constexpr size_t needed = std::max(offsetof(AmdExtTable, hsa_amd_memory_pool_allocate_fn),
                                     offsetof(AmdExtTable, hsa_amd_memory_pool_free_fn)) +
                            sizeof(void *);
  if (gTable || table.version.minor_id < offsetof(HsaApiTable, amd_ext_) + sizeof(table.amd_ext_) ||
      !table.amd_ext_ || table.amd_ext_->version.minor_id < needed ||
      !table.amd_ext_->hsa_amd_memory_pool_allocate_fn ||
      !table.amd_ext_->hsa_amd_memory_pool_free_fn)
    return;
  gTell =
      reinterpret_cast<decltype(gTell)>(::dlsym(RTLD_DEFAULT, "meld_softgpu_verify_allocation"));
  if (!gTell)
    return;
  gTable = table.amd_ext_;
  gAllocate = gTable->hsa_amd_memory_pool_allocate_fn;
  gFree = gTable->hsa_amd_memory_pool_free_fn;
  gTable->hsa_amd_memory_pool_allocate_fn = allocate;
  gTable->hsa_amd_memory_pool_free_fn = release;
}

void stopWatchingAllocations() noexcept {
  if (!gTable)
    return;
  if (gTable->hsa_amd_memory_pool_allocate_fn == allocate)
    gTable->hsa_amd_memory_pool_allocate_fn = gAllocate;
  if (gTable->hsa_amd_memory_pool_free_fn == release)
    gTable->hsa_amd_memory_pool_free_fn = gFree;
  gTable = nullptr;
}

} // namespace meld
