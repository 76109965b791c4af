// A process that starts warm, as far as the cache goes: operations.py counts its system calls.
//
//   cache_operations fill FOLDER N                 N entries into a folder
//   cache_operations load LAYER FOLDER [NODE] N    N entries from a layer: local, network (a user folder
//                                                  on a file server), site (the same, of others); with a
//                                                  node layer before it
//   cache_operations miss LAYER FOLDER N           N entries that are not there
//
// Exit status 0: all went as it should.
#include "runtime/cache/layered.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace meld;

namespace {

CacheEntry entryNumber(uint64_t number) {
  CacheEntry entry;
  entry.key = KeyBuilder().add("number", number).finish();
  entry.verdict = Verdict::replaced;
  entry.created = 1;
  entry.tool = "test";
  uint32_t state = static_cast<uint32_t>(number) + 1;
  for (int i = 0; i < 8192; ++i) // does not compress
    entry.codeObject.push_back(static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24));
  return entry;
}

PlannedLayer layer(LayerKind kind, const std::string &folder, bool written, bool network) {
  PlannedLayer one;
  one.kind = kind;
  one.folder = folder;
  one.written = written;
  one.network = network;
  return one;
}

} // namespace

int main(int argc, char **argv) {
  const std::string verb = argc > 3 ? argv[1] : "";
  const uint64_t count = argc > 3 ? std::strtoull(argv[argc - 1], nullptr, 10) : 0;
  if (verb == "fill") {
    DiskCache cache({argv[2], 0, false, {}});
    for (uint64_t i = 0; i < count; ++i)
      if (!cache.store(entryNumber(i)))
        return 1;
    return 0;
  }
  if ((verb != "load" && verb != "miss") || argc < 5)
    return 2;
  const std::string kind = argv[2];
  CachePlan plan;
  if (argc > 5)
    plan.layers.push_back(layer(LayerKind::node, argv[4], true, false));
  if (kind == "local")
    plan.layers.push_back(layer(LayerKind::user, argv[3], true, false));
  else if (kind == "network")
    plan.layers.push_back(layer(LayerKind::user, argv[3], false, true));
  else
    plan.layers.push_back(layer(LayerKind::site, argv[3], false, true));
  LayeredCache cache(plan,
                     [](const std::string &text) { std::fprintf(stderr, "%s\n", text.c_str()); });
  for (uint64_t i = 0; i < count; ++i) {
    const bool found = cache.load(entryNumber(i + (verb == "miss" ? 1000000 : 0)).key).has_value();
    if (found != (verb == "load"))
      return 1;
  }
  cache.cleanIfNeeded();
  return 0;
}
