#include "shim/cli/cache_layers.h"

#include "runtime/engine/cache_settings.h"
#include "shim/cli/launch.h"

#include <climits>
#include <cstdlib>

namespace meld::cli {
namespace {

LayersWanted wantedLayers() {
  const Install install = findInstall();
  char path[PATH_MAX];
  return layersWanted(settings().settings,
                      ::realpath(install.libmeld.c_str(), path) ? path : install.libmeld);
}

/// The layer as programs have it; where they have none, as they would have it if it was asked for.
std::optional<PlannedLayer> planned(const std::string &name) {
  LayersWanted wanted = wantedLayers();
  for (const std::string &layers : {wanted.layers, name}) {
    wanted.layers = layers;
    for (const PlannedLayer &layer : planLayers(wanted, Surroundings::real()).layers)
      if (layerName(layer.kind) == name)
        return layer;
  }
  return std::nullopt;
}

} // namespace

CachePlan cachePlan() { return planLayers(wantedLayers(), Surroundings::real()); }

void addLayerOption(CLI::App *sub, std::string &layer) {
  sub->add_option("--layer", layer, "Which layer: node, user, site, or a folder (default: user)")
      ->option_text("LAYER|DIR");
}

Result<std::string> layerFolder(const std::string &layer) {
  if (layer.find('/') != std::string::npos)
    return absolutePath(layer);
  if (layer != "user" && layer != "node" && layer != "site")
    return fail(ErrorCode::badInput,
                "no layer '" + shown(layer) + "'; there are node, user, site, and folders (./DIR)");
  const auto known = planned(layer);
  if (!known)
    return fail(ErrorCode::notFound, layer == "site"
                                         ? "there is no site layer (MELD_CACHE_SITE)"
                                         : "there is no folder for a " + layer + " layer");
  return known->folder;
}

Result<std::unique_ptr<DiskCache>> openLayer(const std::string &layer, bool write) {
  DiskCacheOptions options;
  options.directory = MELD_TRY(layerFolder(layer));
  options.maxSize = settings().settings.cacheMaxSize;
  options.owners.anybody = !write && layer != "user" && layer != "node";
  options.warn = [](const std::string &message) { complain(message); };
  return std::make_unique<DiskCache>(std::move(options));
}

Result<std::shared_ptr<const TrustedKeys>> trustedKeys(const std::string &files) {
  LayersWanted wanted = wantedLayers();
  std::string from = files.empty() ? wanted.trust : files;
  const std::string installed = wanted.shared + "/trusted-keys";
  if (from.empty() && !wanted.shared.empty() && Surroundings::real().exists(installed))
    from = installed;
  if (from.empty())
    return std::shared_ptr<const TrustedKeys>();
  return std::make_shared<const TrustedKeys>(MELD_TRY(TrustedKeys::read(from)));
}

} // namespace meld::cli
