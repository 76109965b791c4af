// Where compiled code is kept (runtime/cache/layers.h), and whether these places are good ones.
#include "shim/cli/doctor/checks.h"

#include "runtime/cache/layered.h"
#include "runtime/cache/remote/url.h"
#include "runtime/cache/surroundings.h"
#include "runtime/host/human_size.h"

namespace meld::doctor {
namespace {

/// What a layer may have left before it is worth a word: some hundred entries.
constexpr uint64_t kLittleRoom = uint64_t(64) << 20;

std::string describe(const PlannedLayer &layer) {
  std::string text = layer.folder;
  text += layer.written ? "" : ", read only";
  text += layer.mustBeSigned ? ", signed entries only" : "";
  return text + (layer.why.empty() ? "" : " (" + layer.why + ")");
}

void checkLayer(const PlannedLayer &layer, const CachePlan &plan, Findings &out) {
  const std::string check = std::string("cache ") + layerName(layer.kind);
  if (layer.folder.empty()) {
    out.push_back({Health::problem, check,
                   "no folder: MELD_CACHE_DIR, XDG_CACHE_HOME and HOME give no absolute path",
                   "set MELD_CACHE_DIR to an absolute path, or MELD_CACHE=0"});
    return;
  }
  DiskCache disk(optionsOf(layer, plan));
  auto totals = disk.totals();
  if (!totals) {
    out.push_back({Health::problem, check, totals.error().message,
                   "it has to be a folder of this user that nobody else may write to"});
  } else if (totals->damaged) {
    out.push_back({Health::problem, check,
                   layer.folder + ": " + std::to_string(totals->damaged) + " of " +
                       std::to_string(totals->entries) + " entries are damaged",
                   layer.kind == LayerKind::site ? "tell who keeps the site's cache"
                                                 : "meld cache verify removes them"});
  } else {
    Finding finding{Health::ok, check,
                    describe(layer) + ": " + std::to_string(totals->entries) + " entries, " +
                        humanSize(totals->bytes),
                    ""};
    if (layer.network && layer.written) {
      finding.health = Health::warn;
      finding.text += "; every process reads and writes on a file server";
      finding.advice = "set MELD_CACHE_DIR to a folder of the node, or MELD_CACHE_LAYERS=node,user";
    }
    out.push_back(std::move(finding));
  }
  const FileSystem system = fileSystemOf(layer.folder);
  if (layer.written && system.freeBytes < kLittleRoom)
    out.push_back({Health::warn, check,
                   humanSize(system.freeBytes) + " are free for " + layer.folder +
                       ", whose limit is " + (layer.maxSize ? humanSize(layer.maxSize) : "none"),
                   "make room, or name another folder"});
}

} // namespace

Findings checkCache(const CachePlan &plan) {
  Findings out;
  for (const std::string &warning : plan.warnings)
    out.push_back({Health::warn, "cache", warning, ""});
  for (const PlannedLayer &layer : plan.layers)
    checkLayer(layer, plan, out);
  if (!plan.remote.empty())
    out.push_back({Health::ok, "cache remote",
                   shownUrl(plan.remote) + (plan.remoteWritten ? "" : ", read only") +
                       (plan.trusted ? ", signed entries only" : "") + "; asked in the background",
                   ""});
  if (plan.layers.empty() && plan.remote.empty())
    out.push_back({Health::warn, "cache", "no layer: every run compiles again",
                   "MELD_CACHE_LAYERS=auto takes what there is"});
  return out;
}

} // namespace meld::doctor
