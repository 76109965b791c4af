// Writes seed inputs for the fuzzers into the folder given.
#include "runtime/cache/entry.h"
#include "tests/runtime/codeobject/builder.h"

#include <fstream>

using namespace meld;
using namespace meld::test;

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  auto write = [&](const char *name, const Bytes &bytes) {
    std::ofstream(std::string(argv[1]) + "/" + name, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  };
  BuildObject object;
  object.variables = {{"counter", {7, 0, 0, 0}, false, 4}, {"zeros", Bytes(16), true, 16}};
  write("object", build(object));
  write("bundle", buildBundle({{"host-x86_64-unknown-linux--", {}},
                               {"hipv4-amdgcn-amd-amdhsa--gfx90a", build(object)}}));
  write("metadata", nlohmann::json::to_msgpack(metadataOf(object)));
  CacheEntry entry;
  entry.verdict = Verdict::replaced;
  entry.codeObject = build(object);
  write("entry", *writeEntry(entry));
  return 0;
}
