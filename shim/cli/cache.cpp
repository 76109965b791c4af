// meld cache: look at and tidy the disk cache.
#include "runtime/adapt/verdict_text.h"
#include "runtime/cache/remote/url.h"
#include "shim/cli/cache_layers.h"
#include "shim/cli/progress.h"

namespace meld::cli {
namespace {

struct CacheOptions {
  bool dryRun = false, all = false;
  std::string key, maxSize, trust, layer = "user";
};

/// Names of the kernels in an entry's metadata; empty when it has none.
std::string kernelsOf(const Json &metadata) {
  std::string out;
  if (metadata.is_object() && metadata.contains("kernels") && metadata["kernels"].is_array())
    for (const Json &kernel : metadata["kernels"])
      if (kernel.is_object() && kernel.contains("name") && kernel["name"].is_string())
        out += (out.empty() ? "" : ", ") + demangle(kernel["name"].get<std::string>());
  return out;
}

/// What the entry was compiled for, "gfx90a:sramecc+"; "-" in an entry that does not say.
std::string isaOf(const Json &metadata) {
  if (!metadata.is_object() || !metadata.contains("isa") || !metadata["isa"].is_string())
    return "-";
  std::string name = metadata["isa"].get<std::string>();
  const size_t triple = name.find("--");
  return triple == std::string::npos ? name : name.substr(triple + 2);
}

/// All layers that programs have here, in the order in which they are read.
int allPaths(const Cli &cli) {
  const CachePlan plan = cachePlan();
  Json out = Json::array();
  std::vector<std::vector<std::string>> rows = {{"LAYER", "WRITTEN", "SIGNED", "WHERE", ""}};
  for (const PlannedLayer &layer : plan.layers) {
    out.push_back({{"layer", layerName(layer.kind)},
                   {"path", layer.folder},
                   {"written", layer.written},
                   {"signed", layer.mustBeSigned},
                   {"network", layer.network},
                   {"note", layer.why}});
    rows.push_back({layerName(layer.kind), layer.written ? "yes" : "no",
                    layer.mustBeSigned ? "required" : "-", layer.folder, layer.why});
  }
  if (!plan.remote.empty()) {
    const std::string url = shownUrl(plan.remote);
    out.push_back({{"layer", "remote"},
                   {"path", url},
                   {"written", plan.remoteWritten},
                   {"signed", plan.trusted != nullptr},
                   {"network", true},
                   {"note", ""}});
    rows.push_back(
        {"remote", plan.remoteWritten ? "yes" : "no", plan.trusted ? "required" : "-", url, ""});
  }
  cli.json()
      ? print(Json{{"batch_system", plan.batch}, {"layers", out}, {"warnings", plan.warnings}})
      : print(table(rows));
  for (const std::string &warning : plan.warnings)
    complain(warning);
  return plan.warnings.empty() ? kOk : kProblem;
}

int path(const Cli &cli, const CacheOptions &o) {
  if (o.all)
    return allPaths(cli);
  const auto folder = layerFolder(o.layer);
  if (!folder)
    return complain(folder.error().message);
  if (folder->empty())
    return complain(
        "no folder for the cache: MELD_CACHE_DIR, XDG_CACHE_HOME and HOME give no absolute path");
  cli.json() ? print(Json{{"path", *folder}}) : print(*folder + "\n");
  return kOk;
}

int stats(const Cli &cli, const CacheOptions &, DiskCache &cache) {
  auto totals = cache.totals();
  if (!totals)
    return complain(totals.error().message);
  uint64_t limit = settings().settings.cacheMaxSize;
  if (cli.json())
    print(Json{{"path", cache.directory()},
               {"entries", totals->entries},
               {"replaced", totals->replaced},
               {"unchanged", totals->unchanged},
               {"measured", totals->measured},
               {"damaged", totals->damaged},
               {"bytes", totals->bytes},
               {"max_bytes", limit}});
  else
    print(table({{"path", cache.directory()},
                 {"entries", std::to_string(totals->entries)},
                 {"  replaced", std::to_string(totals->replaced)},
                 {"  unchanged", std::to_string(totals->unchanged)},
                 {"  measured", std::to_string(totals->measured)},
                 {"  damaged", std::to_string(totals->damaged)},
                 {"size", humanSize(totals->bytes)},
                 {"limit", limit ? humanSize(limit) : "none"}}));
  return totals->damaged ? kProblem : kOk;
}

int list(const Cli &cli, const CacheOptions &, DiskCache &cache) {
  auto files = cache.list();
  if (!files)
    return complain(files.error().message);
  Json out = Json::array();
  std::vector<std::vector<std::string>> rows = {
      {"KEY", "VERDICT", "ISA", "SIZE", "LAST USE", "WHAT"}};
  bool damaged = false;
  for (const CacheFile &file : *files) {
    if (file.temporary)
      continue;
    auto entry = cache.header(file.name);
    if (!entry) {
      if (entry.error().code == ErrorCode::notFound)
        continue;
      damaged = true;
      out.push_back({{"key", file.name},
                     {"verdict", "damaged"},
                     {"bytes", file.size},
                     {"used", file.used},
                     {"reason", entry.error().message}});
      rows.push_back({file.name.substr(0, 16), "damaged", "-", humanSize(file.size),
                      humanTime(file.used), entry.error().message});
      continue;
    }
    const Json metadata = Json::parse(entry->metadata, nullptr, false);
    std::string kernels = kernelsOf(metadata), isa = isaOf(metadata);
    out.push_back({{"key", file.name},
                   {"verdict", verdictName(entry->verdict)},
                   {"isa", isa},
                   {"bytes", file.size},
                   {"code_object_bytes", entry->rawSize},
                   {"created", entry->created},
                   {"used", file.used},
                   {"tool", entry->tool},
                   {"reason", entry->reason},
                   {"kernels", kernels}});
    rows.push_back({file.name.substr(0, 16), verdictName(entry->verdict), isa, humanSize(file.size),
                    humanTime(file.used), entry->reason.empty() ? kernels : entry->reason});
  }
  if (cli.json())
    print(out);
  else if (rows.size() == 1)
    print("The cache is empty: " + cache.directory() + "\n");
  else
    print(table(rows));
  return damaged ? kProblem : kOk;
}

/// A full key, or the only one that starts so.
Result<std::string> completeKey(DiskCache &cache, const std::string &prefix) {
  auto files = MELD_TRY(cache.list());
  std::vector<std::string> fitting;
  for (const CacheFile &file : files)
    if (!file.temporary && file.name.rfind(prefix, 0) == 0)
      fitting.push_back(file.name);
  if (fitting.size() == 1)
    return fitting[0];
  return fail(ErrorCode::notFound,
              fitting.empty() ? "no entry " + prefix : "several entries start with " + prefix);
}

/// Kernels, their versions and launch classes, as lines.
std::string measuredRows(const std::string &metadata) {
  const auto verdicts = adapt::ObjectVerdicts::parse(metadata);
  if (!verdicts)
    return verdicts.error().message + "\n";
  std::string text;
  for (const auto &[name, verdict] : verdicts->kernels)
    text += adapt::describeKernel(name, verdict);
  return text.empty() ? "no kernel was launched often enough\n" : text;
}

int show(const Cli &cli, const CacheOptions &o, DiskCache &cache) {
  auto key = completeKey(cache, o.key);
  if (!key)
    return complain(key.error().message);
  auto entry = cache.header(*key);
  if (!entry)
    return complain(entry.error().message);
  Json metadata = Json::parse(entry->metadata, nullptr, false);
  if (metadata.is_discarded())
    metadata = nullptr;
  if (cli.json()) {
    print(Json{{"key", *key},
               {"verdict", verdictName(entry->verdict)},
               {"created", entry->created},
               {"tool", entry->tool},
               {"reason", entry->reason},
               {"code_object_bytes", entry->rawSize},
               {"payload_bytes", entry->payloadSize},
               {"metadata", metadata}});
    return kOk;
  }
  print(table(
      {{"key", *key},
       {"verdict", verdictName(entry->verdict)},
       {"reason", entry->reason.empty() ? "-" : entry->reason},
       {"created", humanTime(entry->created)},
       {"tool", entry->tool},
       {"code object", humanSize(entry->rawSize) + ", stored " + humanSize(entry->payloadSize)}}));
  if (entry->verdict == Verdict::measured && metadata.contains("kernels"))
    print(measuredRows(entry->metadata));
  else if (!metadata.is_null())
    print(metadata);
  return kOk;
}

void describeRemoval(const Cli &cli, const std::vector<CacheFile> &files, bool dryRun) {
  uint64_t bytes = 0;
  Json names = Json::array();
  for (const CacheFile &file : files) {
    bytes += file.size;
    names.push_back(file.name);
  }
  if (cli.json())
    print(Json{{"dry_run", dryRun}, {"removed", names}, {"bytes", bytes}});
  else
    print((dryRun ? "would remove " : "removed ") + std::to_string(files.size()) + " files, " +
          humanSize(bytes) + "\n");
}

int prune(const Cli &cli, const CacheOptions &o, bool everything, DiskCache &cache) {
  uint64_t limit = settings().settings.cacheMaxSize;
  if (!o.maxSize.empty()) {
    auto size = parseSize(o.maxSize);
    if (!size)
      return complain("--max-size " + o.maxSize + ": " + size.error().message, kUsage);
    limit = *size;
  } else if (!limit && !everything) {
    limit = UINT64_MAX;
  }
  if (everything) {
    // Not prune(0): that leaves young temporary files to their writers. A writer survives losing
    // them.
    auto files = cache.list();
    if (!files)
      return complain(files.error().message);
    std::vector<CacheFile> gone;
    for (const CacheFile &file : *files) {
      if (!o.dryRun)
        if (auto ok = cache.remove(file.name); !ok)
          return complain(ok.error().message);
      gone.push_back(file);
    }
    describeRemoval(cli, gone, o.dryRun);
    return kOk;
  }
  auto gone = cache.prune(limit, o.dryRun);
  if (!gone)
    return complain(gone.error().message);
  describeRemoval(cli, *gone, o.dryRun);
  return kOk;
}

/// Sound entries that none of the keys has signed.
Result<Json> wronglySigned(DiskCache &cache, const TrustedKeys &trusted) {
  const auto files = MELD_TRY(cache.list());
  Json wrong = Json::array();
  Progress progress("verifying");
  size_t done = 0;
  for (const CacheFile &one : files) {
    progress.show(done++, files.size());
    const auto file =
        one.temporary ? Result<Bytes>(fail(ErrorCode::notFound, "")) : cache.file(one.name);
    if (!file)
      continue; // gone, or damaged: told before
    if (const auto good = trusted.check(*file, *CacheKey::fromHex(one.name)); !good)
      wrong.push_back({{"key", one.name}, {"problem", good.error().message}});
  }
  return wrong;
}

int verify(const Cli &cli, const CacheOptions &o, DiskCache &cache) {
  // Of one's own layers nobody asks for signatures, unless with --trust.
  const bool own = o.layer == "user" || o.layer == "node";
  auto trusted =
      own && o.trust.empty() ? std::shared_ptr<const TrustedKeys>() : trustedKeys(o.trust);
  if (!trusted)
    return complain(trusted.error().message);
  auto bad = cache.verify(o.dryRun);
  if (!bad)
    return complain(bad.error().message);
  auto wrong = *trusted ? wronglySigned(cache, **trusted) : Result<Json>(Json::array());
  if (!wrong)
    return complain(wrong.error().message);
  if (cli.json()) {
    Json out = Json::array();
    for (const auto &[file, why] : *bad)
      out.push_back({{"key", file.name}, {"problem", why}, {"removed", !o.dryRun}});
    print(Json{
        {"damaged", out}, {"signatures_checked", *trusted != nullptr}, {"wrongly_signed", *wrong}});
  } else if (bad->empty() && wrong->empty()) {
    print(std::string(*trusted ? "every entry is sound and signed\n" : "every entry is sound\n"));
  } else {
    for (const auto &[file, why] : *bad)
      print(file.name + ": " + why + (o.dryRun ? "\n" : "; removed\n"));
    for (const Json &one : *wrong)
      print(jsonText(one, "key") + ": " + jsonText(one, "problem") + "\n");
  }
  return bad->empty() && wrong->empty() ? kOk : kProblem;
}

} // namespace

void addCache(Cli &cli) {
  CLI::App *cache = cli.verb("cache", "Look at and tidy the cache of compiled code objects",
                             "  meld cache list\n  meld cache show 3fa9c1\n"
                             "  meld cache path --all\n"
                             "  meld cache prune --max-size 500M --dry-run\n  meld cache clear\n");
  cache->require_subcommand(1);
  auto o = std::make_shared<CacheOptions>();
  auto add = [&](const char *name, const char *help, std::function<int()> work) {
    CLI::App *sub = cli.verb(name, help, "", cache);
    sub->callback([&cli, work = std::move(work)] { cli.action = work; });
    addLayerOption(sub, o->layer);
    return sub;
  };
  // With the layer that was named.
  auto in = [&cli, o](int (*work)(const Cli &, const CacheOptions &, DiskCache &), bool write) {
    return [&cli, o, work, write] {
      auto layer = openLayer(o->layer, write && !o->dryRun);
      return layer ? work(cli, *o, **layer) : complain(layer.error().message);
    };
  };
  add("path", "Where the cache is", [&cli, o] {
    return path(cli, *o);
  })->add_flag("--all", o->all, "All layers, in the order in which they are read");
  add("stats", "Number and size of entries", in(stats, false));
  add("list", "All entries", in(list, false));
  add("show", "One entry with its decisions", in(show, false))
      ->add_option("key", o->key, "Key, or the start of one")
      ->required();
  CLI::App *verifyVerb = add("verify", "Check every entry, remove damaged ones", in(verify, true));
  verifyVerb->add_flag("--dry-run", o->dryRun, "Only say what would be removed");
  verifyVerb
      ->add_option("--trust", o->trust,
                   "Check signatures, too, by these public keys (of site and folders: "
                   "MELD_CACHE_TRUST); what is not signed is told, not removed")
      ->option_text("FILES");
  CLI::App *pruneVerb = add(
      "prune", "Remove the least recently used entries down to a size",
      in([](const Cli &c, const CacheOptions &p, DiskCache &d) { return prune(c, p, false, d); },
         true));
  pruneVerb->add_option("--max-size", o->maxSize,
                        "Keep at most this much (default: MELD_CACHE_MAX_SIZE)");
  pruneVerb->add_flag("--dry-run", o->dryRun, "Only say what would be removed");
  add("clear", "Remove every entry",
      in([](const Cli &c, const CacheOptions &p, DiskCache &d) { return prune(c, p, true, d); },
         true))
      ->add_flag("--dry-run", o->dryRun, "Only say what would be removed");
  addCacheSharing(cli, cache);
}

} // namespace meld::cli
