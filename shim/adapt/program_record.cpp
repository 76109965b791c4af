#include "shim/adapt/program_record.h"

#include "shim/engine/identity.h"

#include <ctime>
#include <nlohmann/json.hpp>

namespace meld::adapt {

namespace {

using Json = nlohmann::json;

/// Nothing where the executable cannot be told from others.
std::optional<CacheKey> programKey() {
  const auto program = fileIdentity("/proc/self/exe");
  if (!program)
    return std::nullopt;
  KeyBuilder key;
  key.add("what", "program");
  key.add("executable", *program);
  return key.finish();
}

} // namespace

bool programNeedsQueues(Engine &engine) {
  DiskCache *disk = engine.disk();
  const auto key = programKey();
  if (!disk || !disk->usable() || !key)
    return true;
  const auto entry = disk->load(*key);
  if (!entry || entry->verdict != Verdict::measured)
    return true;
  const Json record = Json::parse(entry->metadata, nullptr, false);
  if (!record.is_object())
    return true;
  const auto queues = record.find("queues");
  return queues == record.end() || !queues->is_boolean() || queues->get<bool>();
}

void setProgramNeedsQueues(Engine &engine, bool needed) {
  DiskCache *disk = engine.disk();
  const auto key = programKey();
  if (!disk || !disk->usable() || !key || programNeedsQueues(engine) == needed)
    return;
  CacheEntry entry;
  entry.key = *key;
  entry.verdict = Verdict::measured;
  entry.created = static_cast<uint64_t>(std::time(nullptr));
  entry.tool = "libmeld";
  entry.reason =
      needed ? "a program whose launches are looked at" : "a program of which all is known";
  entry.metadata = Json{{"queues", needed}}.dump();
  disk->store(entry);
}

} // namespace meld::adapt
