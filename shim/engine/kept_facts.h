// Of a specialised version's metadata, as the compiler wrote it: the facts that it depends on.
//
// Thread rule: a pure function.
#pragma once

#include <string>

namespace meld {

/// {"facts": "argument 16 4 0x3; full-groups", ...}: as text of passes/specialize/facts.h, not
/// checked here. Empty where the metadata name none, or are none.
std::string keptFacts(const std::string &metadata);

} // namespace meld
