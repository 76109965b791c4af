// Layers of the cache by the names that people give them.
#pragma once

#include "runtime/cache/layered.h"
#include "shim/cli/cli.h"

namespace meld::cli {

/// The layers that programs of this user have, here and now.
CachePlan cachePlan();

/// What `--layer` takes: node, user, site, or a folder.
void addLayerOption(CLI::App *sub, std::string &layer);

/// A layer's folder, to look at and to tidy. `write`: entries are to be put there. Whose entries they
/// are and whether they are signed is not asked. Errors: notFound (there is no such layer), badInput.
Result<std::unique_ptr<DiskCache>> openLayer(const std::string &layer, bool write = false);

/// Where the site layer was not found or a folder has no absolute path, "" is the user's.
Result<std::string> layerFolder(const std::string &layer);

/// Keys of `files` (--trust), or of the settings; null where none are set. Errors: as
/// TrustedKeys::read().
Result<std::shared_ptr<const TrustedKeys>> trustedKeys(const std::string &files);

} // namespace meld::cli
