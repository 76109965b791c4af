// meld-cluster-loads: what libmeld does with the loads of one process, without a GPU and without HIP, for
// ./dev bench cluster (cluster.py).
//
//   meld-cluster-loads OBJECT --count N [--first K] [--patient]    N loads, the settings from the environment;
//                                                      --patient waits for each, --stay for all behind them
//   meld-cluster-loads OBJECT --count N --fill FOLDER --fill-remote URL
//                                                      the entries that these loads look for
//
// The objects are one code object with a byte more behind its end each: other bytes and another key for
// libmeld, the same code for the compiler. Printed is JSON: loads by what came of them.
#include "runtime/cache/disk.h"
#include "runtime/cache/remote/process.h"
#include "runtime/engine/engine.h"
#include "runtime/log/log.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

using namespace meld;
namespace fs = std::filesystem;

namespace {

struct Options {
  std::string object, fill, fillRemote;
  unsigned count = 1, first = 0;
  bool patient = false, stay = false;
};

Bytes objectOf(const Bytes &original, unsigned number) {
  Bytes object = original;
  object.resize(object.size() + 1 + number);
  return object;
}

EngineOptions engineOptions() {
  const fs::path lib = fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib";
  EngineOptions options;
  options.settings = loadSettings().settings;
  log::configure(options.settings.logLevel, options.settings.logFile);
  options.libmeldPath = lib / "libmeld.so";
  options.jitPath = lib / "libmeld-jit.so";
  options.openRemote = [lib](const std::string &url) { return openRemoteProcess(lib, url); };
  return options;
}

int load(const Bytes &original, const Options &options) {
  Engine engine(engineOptions());
  using Outcomes = std::map<std::string, unsigned>;
  auto loadAll = [&](Patience patience) {
    Outcomes outcomes;
    for (unsigned n = 0; n < options.count; ++n) {
      const Bytes object = objectOf(original, (n + options.first) % options.count);
      const Decision decision = engine.decide(object, {}, patience);
      ++outcomes[outcomeName(decision.outcome) + std::string(" from ") +
                 sourceName(decision.source)];
    }
    return outcomes;
  };
  const Outcomes outcomes = loadAll(options.patient ? Patience::untilDone : Patience::asSet);
  if (options.stay)
    loadAll(Patience::untilDone);
  engine.finish(std::chrono::milliseconds(engine.options().settings.exitWaitMs));
  std::puts(nlohmann::json(outcomes).dump().c_str());
  return 0;
}

/// One real replacement, under the keys of all objects.
int fill(const Bytes &original, const Options &options) {
  Engine engine(engineOptions());
  const Bytes first = objectOf(original, 0);
  const Decision decision = engine.decide(first, {}, Patience::untilDone);
  engine.finish(std::chrono::seconds(60));
  if (!decision.replacement) {
    std::fprintf(stderr, "no replacement for %s: %s\n", options.object.c_str(),
                 decision.reason.c_str());
    return 1;
  }
  DiskCacheOptions disk;
  disk.directory = options.fill;
  DiskCache cache(std::move(disk));
  auto remote = options.fillRemote.empty() ? Result<std::unique_ptr<RemoteStore>>(nullptr)
                                           : engine.options().openRemote(options.fillRemote);
  if (!remote) {
    std::fprintf(stderr, "%s\n", remote.error().message.c_str());
    return 1;
  }
  uint64_t bytes = 0;
  for (unsigned n = 0; n < options.count; ++n) {
    CacheEntry entry;
    entry.key = engine.keyOf(objectOf(original, n), decision.isa);
    entry.verdict = Verdict::replaced;
    entry.tool = "meld-cluster-loads";
    entry.codeObject = *decision.replacement;
    const auto file = writeEntry(entry);
    bool good = bool(file);
    if (good && !options.fill.empty())
      good = cache.storeFile(entry.key, *file);
    if (good && *remote)
      good = bool((*remote)->put(entry.key.hex(), *file));
    if (!good) {
      std::fputs("an entry cannot be written\n", stderr);
      return 1;
    }
    bytes += file->size();
  }
  std::puts(nlohmann::json{{"bytes", bytes}}.dump().c_str());
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CLI::App app{"The loads of one process, for ./dev bench cluster."};
  app.add_option("OBJECT", options.object, "a code object with bitcode")->required();
  app.add_option("--count", options.count, "how many objects");
  app.add_option("--first", options.first,
                 "the number of the first, the others follow in a circle");
  app.add_flag("--patient", options.patient, "wait for each compile");
  app.add_flag("--stay", options.stay, "end when all objects have their code");
  app.add_option("--fill", options.fill, "write the entries of these loads into this folder");
  app.add_option("--fill-remote", options.fillRemote, "put them into this remote cache");
  CLI11_PARSE(app, argc, argv);
  std::ifstream in(options.object, std::ios::binary);
  const Bytes original{std::istreambuf_iterator<char>(in), {}};
  if (original.empty()) {
    std::fprintf(stderr, "%s cannot be read\n", options.object.c_str());
    return 1;
  }
  return options.fill.empty() && options.fillRemote.empty() ? load(original, options)
                                                            : fill(original, options);
}
