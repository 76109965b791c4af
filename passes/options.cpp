#include "passes/options.h"
#include "passes/pass_list.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

namespace meld::passes {

using llvm::StringRef;

static llvm::Error bad(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "meld options: " + message);
}

static llvm::Error checkRegex(StringRef key, StringRef value) {
  std::string why;
  if (!llvm::Regex(value).isValid(why))
    return bad(key + ": '" + value + "' is not a regular expression: " + why);
  return llvm::Error::success();
}

llvm::ArrayRef<StringRef> MeldOptions::passNames() {
  static const StringRef names[] = {
#define MELD_MELDER(name, ...) name,
#define MELD_FAMILY(name, ...) name,
#define MELD_SCALARIZER(name, ...) name,
#include "passes/passes.def"
  };
  return names;
}

namespace {

struct Scalarizer {
  StringRef name;
  bool unasked;
};
constexpr Scalarizer scalarizers[] = {
#define MELD_SCALARIZER(name, Class, where, chosen) {name, runsUnasked(Chosen::chosen)},
#include "passes/passes.def"
};

const Scalarizer *scalarizer(StringRef pass) {
  const auto *found = llvm::find_if(scalarizers, [&](auto &one) { return one.name == pass; });
  return found == std::end(scalarizers) ? nullptr : found;
}

} // namespace

bool isScalarizer(StringRef name) { return name.consume_front("meld-") && scalarizer(name); }

static bool isAll(StringRef name) { return name == "meld" || name == "all"; }

static llvm::Error checkPasses(StringRef list) {
  if (list == "none")
    return llvm::Error::success();
  llvm::SmallVector<StringRef, 8> names;
  list.split(names, ',', -1, false);
  for (StringRef name : names) {
    name = name.trim();
    StringRef plain = name;
    plain.consume_front("meld-");
    if (!isAll(name) && !llvm::is_contained(MeldOptions::passNames(), plain))
      return bad("passes: no pass '" + name + "', there are " +
                 llvm::join(MeldOptions::passNames(), ", "));
  }
  return llvm::Error::success();
}

llvm::Expected<MeldOptions> MeldOptions::parse(StringRef text) {
  MeldOptions options;
  llvm::SmallVector<StringRef, 8> items;
  text.split(items, ';', -1, /*KeepEmpty=*/false);
  for (StringRef item : items) {
    auto [key, value] = item.trim().split('=');
    if (value.empty()) {
      bool on = !key.consume_front("no-");
      if (key == "verify")
        options.verify = on;
      else if (key == "force")
        options.force = on;
      else if (key == "pressure")
        options.pressure = on;
      else if (key == "early")
        options.early = on;
      else if (key == "late")
        options.late = on;
      else if (llvm::is_contained(passNames(), key))
        on ? void(options.without.erase(key.str())) : void(options.without.insert(key.str()));
      else
        return bad("unknown option '" + item + "'");
      continue;
    }
    if (key == "min-profit") {
      if (value.getAsDouble(options.minProfit))
        return bad("min-profit: '" + value + "' is not a number");
    } else if (key == "max-iterations") {
      if (value.getAsInteger(10, options.maxIterations))
        return bad("max-iterations: '" + value + "' is not a number");
    } else if (key == "passes") {
      if (auto error = checkPasses(value))
        return error;
      options.passes = value.str();
    } else if (key == "include" || key == "exclude") {
      if (auto error = checkRegex(key, value))
        return error;
      (key == "include" ? options.kernelInclude : options.kernelExclude) = value.str();
    } else {
      return bad("unknown option '" + item + "'");
    }
  }
  return options;
}

// Whether the list names the pass; `all` names every one that runs unless told otherwise.
static bool names(StringRef list, StringRef pass, bool all) {
  llvm::SmallVector<StringRef, 8> words;
  list.split(words, ',', -1, false);
  return llvm::any_of(words, [&](StringRef word) {
    word = word.trim();
    word.consume_front("meld-");
    return word == pass || (all && isAll(word));
  });
}

// No one knows how often waves agree: what costs a copy of the code for that has to be asked for,
// and so has what this LLVM does not live with.
bool MeldOptions::wants(StringRef pass) const {
  if (passes == "none" || without.count(pass.str()))
    return false;
  if (const Scalarizer *one = scalarizer(pass)) {
    if (without.count("scalarize"))
      return false;
    if (!one->unasked)
      return names(passes, pass, false);
    if (names(passes, "scalarize", false))
      return true;
  }
  return passes.empty() || names(passes, pass, true);
}

bool MeldOptions::wantsKernel(StringRef name) const {
  if (leaveAlone && leaveAlone->count(name.str()))
    return false;
  if (!kernelInclude.empty() && !llvm::Regex(kernelInclude).match(name))
    return false;
  return kernelExclude.empty() || !llvm::Regex(kernelExclude).match(name);
}

} // namespace meld::passes
