// Which kernels have a replacement, and what their code objects have in common.
//
// Thread rule: any thread; what find() returns stays valid after the object was removed.
#pragma once

#include "runtime/softgpu/execute/launch.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace meld::softgpu::verify {

struct Symbol {
  std::string name;
  uint64_t original = 0, replacement = 0, size = 0;
  bool variable = false;
};

/// An original code object and its replacement, loaded beside it.
struct ObjectPair {
  uint64_t originalBase = 0, originalSize = 0, replacementBase = 0, replacementSize = 0;
  std::vector<Symbol> symbols; ///< by replacement address
  std::string refused;         ///< why nothing of it can be verified
  std::string facts;           ///< of a specialised version: what it takes for granted
  const char *(*launch)(const void *context, void *packet, const void *arguments,
                        uint64_t readable) = nullptr; ///< verify_abi.h
  uint64_t argumentBytes = 0;
  std::shared_ptr<const void> context; ///< of `launch`

  /// Makes a launch's packet the replacement's, the kernel object apart. Non-empty: why this launch
  /// is not compared. `mapper` may be null.
  std::string prepare(AqlPacket &packet, const AddressMapper *mapper) const;

  /// The original's address for one that the replacement's code formed: of the same variable or
  /// function; other addresses are the same in both.
  uint64_t originalOf(uint64_t replacementAddress) const;
  /// As originalOf, for memory the replacement accesses: variables only.
  uint64_t redirect(uint64_t address) const {
    return address - replacementBase < replacementSize ? redirectInside(address) : address;
  }
  /// The two values, found in the same place, mean the same: equal, or the addresses that the two
  /// code objects have for one thing.
  bool sameMeaning(uint64_t original, uint64_t replacement) const;
  /// The variable of the original at this address; nullptr when there is none.
  const Symbol *variableAt(uint64_t originalAddress) const;

private:
  uint64_t redirectInside(uint64_t address) const;
  const Symbol *symbolAt(uint64_t replacementAddress) const;
};

struct KernelPair {
  uint64_t original = 0, replacement = 0; ///< descriptors
  std::shared_ptr<const ObjectPair> object;
};

/// Somebody called meld_softgpu_verify_open().
bool enabled();
/// The folder it named; empty: none.
std::string folder();
/// The pairs of the kernel with this (original) descriptor: several where it has specialised versions.
std::vector<KernelPair> find(uint64_t originalDescriptor);

struct Allocation {
  uint64_t address = 0, size = 0;
};
/// What the application allocated around this device address, as far as it was told.
std::optional<Allocation> allocationAt(uint64_t address);

} // namespace meld::softgpu::verify
