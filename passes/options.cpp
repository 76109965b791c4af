#include "passes/options.h"
#include "passes/pass_list.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
#include <type_traits>

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
#define MELD_BEFORE(name, ...) name,
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

constexpr StringRef before[] = {
#define MELD_BEFORE(name, ...) name,
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
    const bool leftOut = plain.consume_front("no-");
    plain.consume_front("meld-");
    if ((leftOut || !isAll(name)) && !llvm::is_contained(MeldOptions::passNames(), plain))
      return bad("passes: no pass '" + name + "', there are " +
                 llvm::join(MeldOptions::passNames(), ", "));
  }
  return llvm::Error::success();
}

// One reader a kind, so that the table can say read##kind.
static llvm::Error readFlag(StringRef key, StringRef, bool &) {
  return bad(key + " takes no value");
}
static llvm::Error readNumber(StringRef key, StringRef value, uint32_t &field) {
  if (value.trim().getAsInteger(10, field))
    return bad(key + ": '" + value + "' is not a number");
  return llvm::Error::success();
}
static llvm::Error readReal(StringRef key, StringRef value, double &field) {
  if (value.trim().getAsDouble(field))
    return bad(key + ": '" + value + "' is not a number");
  return llvm::Error::success();
}
static llvm::Error readRegex(StringRef key, StringRef value, std::string &field) {
  if (auto error = checkRegex(key, value))
    return error;
  field = value.str();
  return llvm::Error::success();
}
static llvm::Error readList(StringRef, StringRef value, std::string &field) {
  if (auto error = checkPasses(value))
    return error;
  field = value.str();
  return llvm::Error::success();
}

static void switchFlag(bool &field, bool on) { field = on; }
template <typename Other> static void switchFlag(Other &, bool) {}

// "key" and "no-key"; false when it is neither a flag nor a pass.
static bool readSwitch(StringRef item, MeldOptions &options) {
  StringRef key = item;
  const bool on = !key.consume_front("no-");
#define MELD_OPTION_OF_OPT(kind, field, name, byDefault)                                           \
  if (key == name && std::is_same_v<optiontype::kind, bool>) {                                     \
    switchFlag(options.field, on);                                                                 \
    return true;                                                                                   \
  }
#define MELD_OPTION(kind, field, name, byDefault, environment, help)                               \
  MELD_OPTION_OF_OPT(kind, field, name, byDefault)
#include "passes/options.def"
  if (!llvm::is_contained(MeldOptions::passNames(), key))
    return false;
  on ? void(options.without.erase(key.str())) : void(options.without.insert(key.str()));
  return true;
}

static llvm::Error readValue(StringRef key, StringRef value, MeldOptions &options) {
#define MELD_OPTION_OF_OPT(kind, field, name, byDefault)                                           \
  if (key == name)                                                                                 \
    return read##kind(key, value, options.field);
#define MELD_OPTION(kind, field, name, byDefault, environment, help)                               \
  MELD_OPTION_OF_OPT(kind, field, name, byDefault)
#include "passes/options.def"
  return bad("unknown option '" + key + "=" + value + "'");
}

// Takes the text up to the next single semicolon, and makes one of each two.
static std::string nextItem(StringRef &text) {
  std::string item;
  while (!text.empty()) {
    const bool two = text.consume_front(";;");
    if (!two && text.consume_front(";"))
      break;
    item += two ? ';' : text.front();
    if (!two)
      text = text.drop_front();
  }
  return item;
}

llvm::Expected<MeldOptions> MeldOptions::parse(StringRef text) {
  MeldOptions options;
  while (!text.empty()) {
    const std::string item = nextItem(text);
    const auto [key, value] = StringRef(item).split('=');
    if (!value.empty()) {
      if (auto error = readValue(key.trim(), value, options))
        return error;
    } else if (!key.trim().empty() && !readSwitch(key.trim(), options)) {
      return bad("unknown option '" + item + "'");
    }
  }
  options.leaveOutNamed();
  return options;
}

// Moves the words "no-NAME" of `passes` to `without`.
void MeldOptions::leaveOutNamed() {
  llvm::SmallVector<StringRef, 8> words, run;
  const std::string list = std::move(passes);
  StringRef(list).split(words, ',', -1, false);
  for (StringRef word : words) {
    word = word.trim();
    if (!word.consume_front("no-")) {
      run.push_back(word);
      continue;
    }
    word.consume_front("meld-");
    without.insert(word.str());
  }
  passes = llvm::join(run, ",");
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

// No one knows how often waves agree, or how unequal the rounds of a lane's loops are: what costs a
// copy of the code for that has to be asked for, and so has what this LLVM does not live with.
bool MeldOptions::wants(StringRef pass) const {
  if (passes == "none" || without.count(pass.str()))
    return false;
  if (llvm::is_contained(before, pass))
    return names(passes, pass, false);
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
