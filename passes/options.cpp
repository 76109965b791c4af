#include "passes/options.h"
#include "passes/scalarize/scalarize.h"
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
  static const StringRef names[] = {"triangles",   "branch-fusion",  "cfm",
                                    "padding",     "switch",         "tail-merge",
                                    "unpredicate", "uniform-branch", "scalarize"};
  return names;
}

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
    if (!isAll(name) && !llvm::is_contained(MeldOptions::passNames(), plain) &&
        !llvm::is_contained(scalarizePassNames(), plain))
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
      if (key == "scalarize")
        options.scalarize = on;
      else if (key == "verify")
        options.verify = on;
      else if (key == "force")
        options.force = on;
      else if (key == "pressure")
        options.pressure = on;
      else if (key == "early")
        options.early = on;
      else if (key == "late")
        options.late = on;
      else if (llvm::is_contained(passNames(), key) ||
               llvm::is_contained(scalarizePassNames(), key))
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

bool MeldOptions::wants(StringRef pass) const {
  if (passes == "none")
    return false;
  if (without.count(pass.str()))
    return false;
  if ((pass == "branch-fusion" && !branchFusion) || (pass == "tail-merge" && !tailMerge) ||
      (pass == "scalarize" && !scalarize))
    return false;
  if (passes.empty())
    return true;
  llvm::SmallVector<StringRef, 8> names;
  StringRef(passes).split(names, ',', -1, false);
  for (StringRef name : names) {
    name = name.trim();
    name.consume_front("meld-");
    if (name == pass || isAll(name))
      return true;
  }
  return false;
}

bool MeldOptions::wantsKernel(StringRef name) const {
  if (leaveAlone && leaveAlone->count(name.str()))
    return false;
  if (!kernelInclude.empty() && !llvm::Regex(kernelInclude).match(name))
    return false;
  return kernelExclude.empty() || !llvm::Regex(kernelExclude).match(name);
}

} // namespace meld::passes
