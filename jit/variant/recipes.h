// The kinds of version that a kernel can be made in: a name, and the options of the passes that
// make it (MeldOptions::parse). The order is the one in which they are tried, where not all are.
//
// Without LLVM: the shim names them, libmeld-jit.so follows them. To add a kind of version, add a
// line; the options' text is part of what is in libmeld-jit.so, and so of every cache key.
#pragma once

#include <string_view>

namespace meld::jit {

struct Recipe {
  std::string_view name;
  std::string_view options;
  /// What the estimate of the machine code doubts is left out again (meld_search.h), and a version
  /// that it calls slower as a whole is not made. Otherwise the version is made as it comes out:
  /// whether it pays is for a measurement to say.
  bool judged;
  /// A pass that has to have changed the kernel: without it the version would be another recipe's
  /// over again. Empty: none. As decisions name it.
  std::string_view needs = {};
  /// For launches of which facts hold (passes/specialize/facts.h): made only where some are given.
  bool specialized = false;
  /// Nothing is melded; every block of the IR has a marker that the software GPU's profile counts
  /// (jit/profile/marks.h).
  bool marks = false;
};

inline constexpr Recipe recipes[] = {
    {"melded", "", false},
    {"melded-sure", "", true},
    {"flattened", "passes=all,flatten-loops;flatten-steps=8", false, "meld-flatten-loops"},
    {"flattened-t32", "passes=all,flatten-loops;flatten-steps=16;flatten-lanes=32", false,
     "meld-flatten-loops"},
    {"flattened-u2", "passes=all,flatten-loops;flatten-steps=2", false, "meld-flatten-loops"},
    {"delayed", "passes=all,delay-iterations;flatten-steps=8;flatten-lanes=32", false,
     "meld-delay-iterations"},
    {"delayed-t16", "passes=all,delay-iterations;flatten-steps=4;flatten-lanes=16", false,
     "meld-delay-iterations"},
    {"converged-loops", "passes=all,converged-loops", false},
    {"scalarized", "passes=scalarize", false},
    {"all-legal", "force", false},
    {"specialized", "", false, {}, true},
};

/// The one of today's replacements.
inline constexpr const char *sureRecipe = "melded-sure";
/// For meld profile; never tried beside the others.
inline constexpr Recipe markedRecipe{"marked", "passes=none", false, {}, false, true};

/// Null where there is none of that name.
constexpr const Recipe *findRecipe(std::string_view name) {
  if (name == markedRecipe.name)
    return &markedRecipe;
  for (const Recipe &recipe : recipes)
    if (recipe.name == name)
      return &recipe;
  return nullptr;
}

} // namespace meld::jit
