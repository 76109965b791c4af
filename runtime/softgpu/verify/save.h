// Captures of a dispatch that was verified, for `meld-gpu replay`.
//
// Two files: the original's dispatch and the replacement's, both from the memory before the
// dispatch, both with what the *original* left as the record. So replaying the first finds memory
// as recorded, and replaying the second shows the difference. The replacement's own variables hold
// what the original's held, since a replay has nothing that leads from one to the other.
//
// Costs: as capture.h. Thread rule: while nothing else runs.
#pragma once

#include "runtime/softgpu/verify/page_store.h"
#include "runtime/softgpu/verify/pairs.h"
#include "runtime/softgpu/watch/capture.h"

namespace meld::softgpu::verify {

struct SavedDispatch {
  const DispatchRequest &request;
  const Launch &launch; ///< the original's
  const DeviceConfig &config;
  const AddressMapper *mapper;
  const DispatchResult &result; ///< the original's
  const PageStore &before;
  const KernelPair &pair;
  const AqlPacket &packet; ///< the replacement's
};

/// Writes <stem>-original.mgc and <stem>-replacement.mgc; returns the names of those that could be
/// written. Whatever goes wrong is said on stderr.
std::vector<std::string> save(const SavedDispatch &dispatch, const std::string &stem) noexcept;

} // namespace meld::softgpu::verify
