#include "tests/fuzz/source/features.h"

namespace meld::fuzz::source {

const char *featureName(size_t index) {
  static const char *const names[] = {
#define MELD_FEATURE(name, text) text,
#include "tests/fuzz/source/features.def"
#undef MELD_FEATURE
  };
  return names[index];
}

std::string Features::names() const {
  std::string text;
  for (size_t i = 0; i < featureCount; ++i)
    if (has(i))
      text += (text.empty() ? "" : "; ") + std::string(featureName(i));
  return text;
}

} // namespace meld::fuzz::source
