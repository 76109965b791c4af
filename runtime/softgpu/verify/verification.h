// One dispatch of a kernel that has a replacement: the original runs, then the replacement from the
// same memory, and what they left is compared bit for bit.
//
//   original      in place, as without verification      -> what the application sees
//   replacement   from the memory before, in copies      -> equal? done
//   original      again, in copies                       \  differs from itself: "not repeatable",
//   original      again, its waves in reverse order      /  which is not the replacement's fault
//
// A kernel may have several replacements, specialised versions: each is run and compared for itself
// where the launch is one for it. A replacement gets the packet that it would be launched with
// (verify_abi.h), which may ask for other LDS and scratch than the original's.
//
// The replacement uses the original's variables, at their addresses. Why the application gets the
// original's results: a wrong replacement must not change what is verified next.
//
// Not verified, and counted with the reason: a launch that the replacement is not for, a kernel
// that calls the host while it runs (printf, malloc and assert: a second run would print a second
// time), one that waits for the host or for another dispatch, one whose original failed, one that
// writes more than 1 GiB.
//
// Terminates: runs in copies end after 16 times the original's instructions, or 30 times its time,
// and a constant. Costs: two interpreted runs of the dispatch, and 4.5 KiB and two copies for each
// page it writes; nobody else runs meanwhile (turns.h). Thread rule: any thread, several at once.
#pragma once

#include "runtime/softgpu/execute/dispatch.h"
#include "runtime/softgpu/execute/launch.h"

#include <functional>

namespace meld::softgpu::verify {

struct Subject {
  const DispatchRequest &request;
  const Launch &launch;
  const DeviceConfig &config;
  AddressMapper *mapper; ///< the driver's; may be null
};

/// Executes a dispatch with this view of memory.
using Run = std::function<DispatchResult(const DispatchRequest &, AddressMapper *)>;

/// `inPlace` runs the subject's kernel as the application asked, with counters and all; `beside`
/// any packet, leaving no trace. Returns what the original's run returned.
DispatchResult runVerified(const Subject &subject, const Run &inPlace, const Run &beside);

} // namespace meld::softgpu::verify
