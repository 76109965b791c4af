// The memory of the process as the runs of one dispatch see it.
//
//               reads                              writes
//   Journal     memory                             memory; a page is copied before its first write
//   Overlay     own copy, else the journal's       own copy, made from what a read would have seen
//               copy, else memory
//
// So the original runs in place and the application sees what it always does, while any number of
// further runs start from the same memory and leave nothing behind. Pages are known by host
// address.
//
// Thread rule: access() from all threads of a dispatch. A page that cannot be copied (no memory
// there) is left to the access itself, which faults as it would without verification.
#pragma once

#include "runtime/softgpu/execute/dispatch.h"
#include "runtime/softgpu/verify/page_store.h"
#include "runtime/softgpu/verify/pairs.h"

#include <atomic>

namespace meld::softgpu::verify {

class Journal final : public AddressMapper {
public:
  /// `inner`: the driver's; may be null. `before` gets the pages. At most `limit` are kept.
  Journal(const AddressMapper *inner, PageStore &before, uint64_t limit)
      : inner_(inner), before_(before), limit_(limit) {}

  /// False: more was written than may be kept, so nothing can be said.
  bool complete() const { return complete_.load(std::memory_order_relaxed); }

  bool empty() const override { return false; }
  uint64_t toHost(uint64_t address) const override;
  uint64_t access(uint64_t address, uint64_t bytes, bool write) override;
  bool mapped(uint64_t address, uint64_t size) const override {
    return !inner_ || inner_->mapped(address, size);
  }
  std::vector<MemoryRange> ranges() const override;

private:
  const AddressMapper *const inner_;
  PageStore &before_;
  const uint64_t limit_;
  std::atomic<bool> complete_{true};
};

class Overlay final : public AddressMapper {
public:
  /// `object`: the replacement runs, whose variables are the original's; null: the original runs.
  /// `incomplete` is set when pages are needed that cannot be had: the run means nothing then, and
  /// should be stopped.
  Overlay(const AddressMapper *inner, const PageStore &before, PageStore &own,
          const ObjectPair *object, uint64_t limit, std::atomic<bool> &incomplete)
      : inner_(inner), before_(before), own_(own), object_(object), limit_(limit),
        incomplete_(incomplete) {}

  bool empty() const override { return false; }
  uint64_t toHost(uint64_t address) const override;
  uint64_t access(uint64_t address, uint64_t bytes, bool write) override;
  bool mapped(uint64_t address, uint64_t size) const override {
    return !inner_ || inner_->mapped(redirect(address), size);
  }
  std::vector<MemoryRange> ranges() const override;

private:
  uint64_t redirect(uint64_t address) const {
    return object_ ? object_->redirect(address) : address;
  }
  uint64_t hostOf(uint64_t address) const;
  uint64_t sourceOf(uint64_t page) const { return before_.holds(page) ? before_.at(page) : page; }

  const AddressMapper *const inner_;
  const PageStore &before_;
  PageStore &own_;
  const ObjectPair *const object_;
  const uint64_t limit_;
  std::atomic<bool> &incomplete_;
};

} // namespace meld::softgpu::verify
