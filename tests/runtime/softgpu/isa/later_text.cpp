#include "tests/runtime/softgpu/isa/later_text.h"

#include <regex>

namespace meld::softgpu::isa::test {

namespace {

/// Mnemonic and registers of an instruction's text.
std::string essence(const std::string &text) {
  static const std::regex registers("\\b(v|s|a|ttmp)(\\[[0-9:]+\\]|[0-9]+)\\b|\\b(vcc|exec|flat_"
                                    "scratch|xnack_mask)(_lo|_hi)?\\b|\\bm0\\b");
  const size_t name = text.find(' ');
  std::string result = text.substr(0, name);
  for (std::string suffix : {"_dpp", "_e32", "_e64"}) // LLVM 15 has none here and there
    if (result.ends_with(suffix))
      result.resize(result.size() - suffix.size());
  if (name != text.npos)
    for (std::sregex_iterator it(text.begin() + long(name), text.end(), registers), end; it != end;
         ++it)
      result += " " + it->str();
  return result;
}

} // namespace

bool sameAsLater(Target target, uint32_t secondWord, const std::string &ours,
                 const std::string &theirs) {
  // No longer taken, or with a remark: operands outside their class, bits that nobody sets.
  if (theirs.empty() || theirs.find("/*Invalid ") != theirs.npos)
    return true;
  // An atomic or a cache's invalidation has no tfe, and few loads can go to LDS: no longer instructions.
  const unsigned tfe = traitsOf(target).generation >= 11 ? 21 : 23;
  const bool noTfe = ours.starts_with("buffer_atomic_") || ours.starts_with("buffer_gl");
  if ((noTfe && (secondWord >> tfe & 1)) || ours.ends_with(" lds"))
    return true;
  // With tfe the data are a dword longer. 16-bit halves have names in some instructions only.
  for (const char *part : {" tfe", ".h", ".l"})
    if (ours.find(part) != ours.npos || theirs.find(part) != theirs.npos)
      return true;
  // A renamed one, and older ones that LLVM 15 takes everywhere.
  if (ours.starts_with("v_cvt_pknorm_") || ours.starts_with("buffer_wbinvl1"))
    return true;
  return essence(ours) == essence(theirs);
}

} // namespace meld::softgpu::isa::test
