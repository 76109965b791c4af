// Makes the application's queues intercept queues, so that packet_handler.h sees every packet.
//
// Replaced in ROCr's tables: hsa_queue_create, hsa_queue_destroy, hsa_amd_queue_intercept_create.
// Two tools that both make intercept queues must not put one behind the other: the inner one's
// handler is never called. So:
//
//   hsa_queue_create   of another tool before us: it is called, and if we can register with what it
//                      made, someone has made it an intercept queue already. If not (or where the
//                      entry was ROCr's own) the queue is ours.
//   ..intercept_create of a tool after us: called, then we register, too. Handlers run last
//                      registered first: the other tool sees the application's packets, and we
//                      rewrite behind it.
//
// A queue gets a ring of twice the size asked for (packet_handler.h says why); where that is more
// than the agent allows, or anything fails, the queue is made as if we were not there. So is the
// queue of a program that calls HSA by itself: it may count places by the size that it has asked
// for, and HIP is known not to.
//
// A cooperative queue is left alone. ROCr has one for each agent, which it counts the users of; an
// intercept queue takes what is behind it for its own and frees it without that count, and at its
// end ROCr frees it again (seen with ROCr 6.4).
//
// All state is allocated once and never freed: HIP dispatches while static destructors run.
//
// Thread rule: install and remove as ROCr calls OnLoad and OnUnload; the hooks from any thread.
#pragma once

#include "shim/adapt/kernel_table.h"
#include "shim/hsa.h"

#include <vector>

namespace meld::adapt {

struct QueueOptions {
  bool waitForTimes = false, waitForVersions = false; ///< see PacketHandler::Queue
  bool arguments = false; ///< versions are chosen for the arguments of launches, too
};

/// False, and nothing was changed, when the tables do not have what it takes.
bool installQueueHooks(HsaApiTable &table, const QueueOptions &options) noexcept;
/// Puts back what is still ours. Queues that exist keep their handlers.
void removeQueueHooks() noexcept;
/// In the child of a fork: ROCr is not usable there, and new queues are none of ours.
void abandonQueues() noexcept;

/// The executable is about to be destroyed: launches of its kernels from now on run as they are.
/// False: some may not (there was no memory), so their versions must stay loaded.
bool releaseExecutable(hsa_executable_t executable) noexcept;

/// The last launch of a version that a queue has been given.
struct UnderWay {
  hsa_queue_t *queue;
  uint64_t packet;
};
/// Of each queue, what may be under way now of variants that have left the table.
std::vector<UnderWay> underWay();
/// These launches and all before them are complete. Waits for nothing.
bool isOver(const std::vector<UnderWay> &launches);

} // namespace meld::adapt
