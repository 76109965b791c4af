// Writes seed inputs for the fuzzers: seeds FOLDER HIP_PROGRAM makes FOLDER/<parser>/<name>.
#include "runtime/cache/seal.h"
#include "runtime/codeobject/hostfile.h"
#include "tests/runtime/codeobject/builder.h"
#include "tests/runtime/codeobject/compressed.h"

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace meld;
using namespace meld::test;

namespace {

std::string folder;

void write(const std::string &parser, const std::string &name, const Bytes &bytes) {
  std::filesystem::create_directories(folder + "/" + parser);
  std::ofstream(folder + "/" + parser + "/" + name, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

Bytes twice(ByteView bytes) {
  Bytes both(bytes.begin(), bytes.end());
  both.insert(both.end(), bytes.begin(), bytes.end());
  return both;
}

/// The bitcode parser's first byte says which of its functions gets the rest.
Bytes chosen(uint8_t function, ByteView bytes) {
  Bytes input(1, function);
  input.insert(input.end(), bytes.begin(), bytes.end());
  return input;
}

Bytes sectionOf(ByteView file, const char *name) {
  auto elf = Elf::parse(file);
  const ElfSection *section = elf ? elf->section(name) : nullptr;
  return section ? Bytes(section->bytes.begin(), section->bytes.end()) : Bytes();
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  folder = argv[1];

  BuildObject object;
  object.variables = {{"counter", {7, 0, 0, 0}, false, 4}, {"zeros", Bytes(16), true, 16}};
  const Bytes built = build(object);
  const Bytes bundle = buildBundle(
      {{"host-x86_64-unknown-linux--", {}}, {"hipv4-amdgcn-amd-amdhsa--gfx90a", built}});
  write("codeobject", "built", built);
  write("gate", "built", twice(built));
  // Eight bytes for each number, so that a change of one byte makes any size of it.
  for (uint64_t huge : {uint64_t(1) << 40, UINT64_MAX})
    for (const char *target : {"amdgcn-amd-amdhsa--gfx90a", "amdgcn-amd-amdhsa--gfx1030"}) {
      BuildObject many;
      many.target = target;
      many.flags = many.target.ends_with("gfx90a") ? 0x53f : 0x36;
      BuildKernel &kernel = many.kernels[0];
      kernel.vgprs = kernel.agprs = kernel.sgprs = kernel.group = kernel.maxWorkgroup = huge;
      kernel.kernargSize = kernel.priv = huge;
      const std::string name =
          "huge" + std::to_string(huge == UINT64_MAX) + many.target.substr(many.target.size() - 4);
      write("codeobject", name, build(many));
      write("gate", name, twice(build(many)));
    }
  write("hostfile", "bundle", bundle);
  for (unsigned version : {1, 2, 3})
    for (unsigned method : {0, 1})
      write("hostfile", "compressed" + std::to_string(version * 2 + method),
            compressed(bundle, version, method));
  write("metadata", "built", nlohmann::json::to_msgpack(metadataOf(object)));

  CacheEntry entry;
  entry.verdict = Verdict::replaced;
  entry.codeObject = built;
  write("entry", "replaced", *writeEntry(entry));
  write("entry", "signed", withSeal(*writeEntry(entry), Seal()));
  entry.verdict = Verdict::unchanged;
  entry.codeObject = {};
  entry.reason = "gate: scratch";
  write("entry", "unchanged", *writeEntry(entry));

  int number = 0;
  for (std::string text :
       {"1", "off", "4M", "2GiB", "-1", "trace", "/tmp/x", "../x", "cfm,switch", "all", "0.5", ""})
    write("settings", std::to_string(number++), Bytes(text.begin(), text.end()));

  for (const std::string name : {"host_trap_results.json", "stochastic_results.json"}) {
    std::ifstream in(MELD_ROCPROF_FILES "/" + name, std::ios::binary);
    write("profile", name, Bytes(std::istreambuf_iterator<char>(in), {}));
  }
  for (
      const std::string_view text :
      {R"({"meldprof": 1, "objects": [{"hash": "a", "isa": "b", "kernels": [{"name": "k", "launches": 1,
            "waves": 2, "wavesPerSimd": 0.5, "functions": [{"name": "k", "cfg": "1", "blocks": [[2, 128], [2, 70]],
            "branches": [{"block": 0, "edges": [[1, 2, 70], [0, 1, 58]]}], "loops": [{"header": 1, "depth": 1,
            "entries": 2, "rounds": 2, "laneEntries": 70, "laneRounds": 70}]}]}]}]})",
       R"({"meldprof": 2, "objects": [{"hash": "a", "isa": "b", "kernels": [{"name": "k", "launches": 1,
            "waves": 2, "wavesPerSimd": 0.5, "sampled": {"method": "stochastic", "samples": 90, "functions": [
            {"name": "k", "cfg": "1", "blocks": [[50, 3200, 60, 64, 12.5, 0.25], [40, 400, 8, 20]],
            "branches": [{"block": 0, "edges": [[1, 40, 400, 8, 20]]}],
            "loops": [{"header": 1, "depth": 1, "entries": [3, 9, 1, 64]}]}]}}]}]})"})
    write("profile", "meldprof" + std::to_string(number++), Bytes(text.begin(), text.end()));

  std::ifstream in(argv[2], std::ios::binary);
  const Bytes program(std::istreambuf_iterator<char>(in), {});
  auto images = findDeviceImages(program);
  if (!images || images->empty())
    return 1;
  write("hostfile", "program", program);
  for (const DeviceImage &image : *images) {
    const std::string name = "image" + std::to_string(number++);
    write("codeobject", name, Bytes(image.bytes.begin(), image.bytes.end()));
    write("gate", name, twice(image.bytes));
    const Bytes bitcode = sectionOf(image.bytes, ".llvmbc"),
                commands = sectionOf(image.bytes, ".llvmcmd");
    write("bitcode", name + "-modules", chosen(0, twice(bitcode)));
    write("bitcode", name + "-commands", chosen(1, twice(commands)));
    write("bitcode", name + "-object", chosen(2, image.bytes));
  }
  return 0;
}
