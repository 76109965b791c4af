#include "shim/adapt/program_record.h"

#include "runtime/engine/identity.h"
#include "shim/adapt/measured_entry.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace meld::adapt {

namespace {

using Json = nlohmann::json;

/// Nothing where the executable cannot be told from others.
std::optional<CacheKey> programKey(Engine &engine) {
  const auto program = fileIdentity("/proc/self/exe");
  if (!program)
    return std::nullopt;
  KeyBuilder key;
  key.add("what", "program");
  key.add("executable", *program);
  if (engine.options().settings.specialize) // looks at more
    key.add("specialize", "1");
  return key.finish();
}

constexpr unsigned kMostServed = 16;

/// What is kept of a program.
struct Record {
  bool queues = true;
  unsigned served = 0; ///< runs since the last one whose launches were looked at
  unsigned until = 1;  ///< so many, then one is looked at again
};

std::optional<Record> load(LayeredCache &disk, const CacheKey &key) {
  const auto text = loadMeasured(disk, key);
  if (!text)
    return std::nullopt;
  const Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object())
    return std::nullopt;
  const auto number = [&](const char *name, unsigned otherwise) {
    const auto it = json.find(name);
    return it != json.end() && it->is_number_unsigned()
               ? static_cast<unsigned>(std::min<uint64_t>(it->get<uint64_t>(), kMostServed))
               : otherwise;
  };
  Record record;
  const auto queues = json.find("queues");
  record.queues = queues == json.end() || !queues->is_boolean() || queues->get<bool>();
  record.served = number("served", 0);
  record.until = std::max(number("until", 1), 1u);
  return record;
}

} // namespace

bool programNeedsQueues(Engine &engine) {
  LayeredCache *disk = usableDisk(engine);
  const auto key = programKey(engine);
  if (!disk || !key)
    return true;
  const auto record = load(*disk, *key);
  return !record || record->queues || record->served >= record->until;
}

void setProgramNeedsQueues(Engine &engine, bool needed, bool served) {
  LayeredCache *disk = usableDisk(engine);
  const auto key = programKey(engine);
  if (!disk || !key)
    return;
  const auto before = load(*disk, *key);
  Record now;
  now.queues = needed;
  if (before && !needed) {
    now.until = served ? before->until : std::min(2 * before->until, kMostServed);
    now.served = served ? before->served + 1 : 0;
  }
  if (before && before->queues && needed)
    return;
  storeMeasured(*disk, *key,
                needed ? "a program whose launches are looked at"
                       : "a program of which all is known",
                Json{{"queues", needed}, {"served", now.served}, {"until", now.until}}.dump());
}

} // namespace meld::adapt
