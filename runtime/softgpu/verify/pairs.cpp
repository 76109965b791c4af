#include "runtime/softgpu/verify/pairs.h"

#include "runtime/softgpu/execute/kernel_names.h"
#include "runtime/softgpu/execute/safe_read.h"
#include "runtime/softgpu/verify/results.h"
#include "runtime/softgpu/verify_abi.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <pthread.h>

namespace meld::softgpu::verify {

namespace {

struct Registry {
  std::mutex mutex;
  std::string folder;
  std::map<uint64_t, std::vector<KernelPair>> kernels; ///< by the original's descriptor
  std::map<uint64_t, uint64_t> allocations;            ///< address -> size
};

Registry &registry() {
  static auto *r = new Registry; // threads may still dispatch while the process exits
  return *r;
}

std::atomic<bool> on{false};

std::shared_ptr<ObjectPair> copyOf(const MeldVerifyObject &o) {
  auto object = std::make_shared<ObjectPair>();
  object->originalBase = o.originalBase;
  object->originalSize = o.originalSize;
  object->replacementBase = o.replacementBase;
  object->replacementSize = o.replacementSize;
  object->refused = o.refused ? o.refused : "";
  object->facts = o.facts ? o.facts : "";
  object->launch = o.launch;
  object->argumentBytes = o.argumentBytes;
  if (o.release)
    object->context = {o.context, o.release};
  for (uint64_t i = 0; i < o.symbolCount; ++i) {
    const MeldVerifySymbol &s = o.symbols[i];
    object->symbols.push_back({s.name, s.original, s.replacement, s.size, s.variable != 0});
  }
  std::ranges::sort(object->symbols, {}, &Symbol::replacement);
  return object;
}

} // namespace

const Symbol *ObjectPair::symbolAt(uint64_t address) const {
  auto it = std::ranges::upper_bound(symbols, address, {}, &Symbol::replacement);
  if (it == symbols.begin() || address - std::prev(it)->replacement >= std::prev(it)->size)
    return nullptr;
  return &*std::prev(it);
}

uint64_t ObjectPair::originalOf(uint64_t address) const {
  const Symbol *s = symbolAt(address);
  return s ? s->original + (address - s->replacement) : address;
}

uint64_t ObjectPair::redirectInside(uint64_t address) const {
  const Symbol *s = symbolAt(address);
  return s && s->variable ? s->original + (address - s->replacement) : address;
}

bool ObjectPair::sameMeaning(uint64_t original, uint64_t replacement) const {
  if (original == replacement)
    return true;
  if (original - originalBase >= originalSize || replacement - replacementBase >= replacementSize)
    return false;
  if (symbolAt(replacement))
    return originalOf(replacement) == original;
  // String literals and the like have no names, and what was recompiled may order them otherwise.
  return std::ranges::none_of(symbols,
                              [&](const Symbol &s) { return original - s.original < s.size; });
}

const Symbol *ObjectPair::variableAt(uint64_t address) const {
  auto it = std::ranges::find_if(
      symbols, [&](const Symbol &s) { return s.variable && address - s.original < s.size; });
  return it == symbols.end() ? nullptr : &*it;
}

std::string ObjectPair::prepare(AqlPacket &packet, const AddressMapper *mapper) const {
  if (!launch)
    return {};
  std::vector<uint8_t> arguments(argumentBytes);
  const uint64_t from = mapper ? mapper->toHost(packet.kernarg) : packet.kernarg;
  if (safeRead(from, arguments.data(), arguments.size()) != arguments.size())
    arguments.clear();
  const char *why = launch(context.get(), &packet, arguments.data(), arguments.size());
  return why ? why : "";
}

bool enabled() { return on.load(std::memory_order_acquire); }

std::string folder() {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  return r.folder;
}

std::vector<KernelPair> find(uint64_t originalDescriptor) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  const auto it = r.kernels.find(originalDescriptor);
  return it == r.kernels.end() ? std::vector<KernelPair>() : it->second;
}

std::optional<Allocation> allocationAt(uint64_t address) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  auto it = r.allocations.upper_bound(address);
  if (it == r.allocations.begin() || address - std::prev(it)->first >= std::prev(it)->second)
    return std::nullopt;
  --it;
  return Allocation{it->first, it->second};
}

} // namespace meld::softgpu::verify

using namespace meld::softgpu;
using namespace meld::softgpu::verify;

void meld_softgpu_verify_open(const char *folder) {
  try {
    // In the child of a fork nothing is replaced, and what is known here is the parent's.
    static const int forkHandled =
        ::pthread_atfork(nullptr, nullptr, [] { on.store(false, std::memory_order_relaxed); });
    (void)forkHandled;
    {
      Registry &r = registry();
      std::lock_guard lock(r.mutex);
      r.folder = folder ? folder : "";
      r.kernels.clear(); // of a runtime that has been shut down
      r.allocations.clear();
    }
    results().open(folder ? folder : "");
    on.store(true, std::memory_order_release);
  } catch (...) { // no memory: nothing is verified, and no report says otherwise
  }
}

void meld_softgpu_verify_add(const MeldVerifyObject *object) {
  if (!object || object->abi != MELD_VERIFY_ABI)
    return;
  try {
    std::shared_ptr<const ObjectPair> shared = copyOf(*object);
    Registry &r = registry();
    for (uint64_t i = 0; i < object->kernelCount; ++i) {
      const MeldVerifyKernel &k = object->kernels[i];
      nameKernel(k.original, k.name, false);
      if (k.replacement)
        nameKernel(k.replacement, k.name, true);
      std::lock_guard lock(r.mutex);
      std::vector<KernelPair> &pairs = r.kernels[k.original];
      std::erase_if(pairs, [&](const auto &known) { return known.object->facts == shared->facts; });
      pairs.push_back({k.original, k.replacement, shared});
    }
  } catch (...) {
  }
}

void meld_softgpu_verify_remove(uint64_t originalDescriptor) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  const auto it = r.kernels.find(originalDescriptor);
  if (it == r.kernels.end())
    return;
  const std::vector<KernelPair> gone = it->second;
  for (auto &[descriptor, pairs] : r.kernels)
    std::erase_if(pairs, [&](const KernelPair &pair) {
      return std::ranges::any_of(gone, [&](const auto &g) { return g.object == pair.object; });
    });
  std::erase_if(r.kernels, [](const auto &entry) { return entry.second.empty(); });
}

void meld_softgpu_verify_allocation(uint64_t address, uint64_t size) {
  try {
    Registry &r = registry();
    std::lock_guard lock(r.mutex);
    if (size)
      r.allocations[address] = size;
    else
      r.allocations.erase(address);
  } catch (...) { // differences there are told with the driver's allocation
  }
}
