// meld explain: why a kernel was melded or not. From the cache, or by compiling a file now.
#include "runtime/adapt/verdict_text.h"
#include "runtime/engine/gated_compile.h"
#include "runtime/engine/open_compiler.h"
#include "runtime/host/whole_file.h"
#include "shim/cli/cli.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace meld::cli {
namespace {

struct ExplainOptions {
  std::string kernel, file, arch;
  int index = -1;
  bool brief = false;
};

struct Source {
  std::string where, verdict, reason;
  Json metadata;
};

/// "void ns::sort<32u>(int*)" -> {"ns::sort<32u>", "ns::sort"}: without return type and arguments,
/// and without template arguments as well.
std::pair<std::string, std::string> shortForms(const std::string &readable) {
  size_t end = readable.find('('), angle = readable.find('<');
  std::string plain = readable.substr(0, std::min(end, angle));
  size_t start = plain.rfind(' ');
  start = start == std::string::npos ? 0 : start + 1;
  return {readable.substr(start, end == std::string::npos ? end : end - start),
          plain.substr(start)};
}

bool matches(const std::string &name, const std::string &wanted) {
  std::string readable = demangle(name);
  auto [full, bare] = shortForms(readable);
  if (name == wanted || readable == wanted || full == wanted || bare == wanted)
    return true;
  size_t scope = bare.rfind("::");
  return scope != std::string::npos && bare.substr(scope + 2) == wanted;
}

/// What a static build wrote (passes/plugin/report.h).
Result<std::vector<Source>> fromReport(const ExplainOptions &o, ByteView bytes) {
  Json report = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
  if (!report.is_object() || !report.contains("static") || !report["kernels"].is_array())
    return fail(ErrorCode::badInput,
                o.file + ": neither device code nor a report of a static build");
  const std::string where = jsonText(report, "source") + " for " + jsonText(report, "target");
  return std::vector<Source>{
      {where, "compiled with " + jsonText(report, "static"), "", std::move(report)}};
}

Result<std::vector<Source>> fromFile(const ExplainOptions &o) {
  auto bytes = readWholeFile(o.file);
  if (!bytes)
    return tl::unexpected(bytes.error());
  if (!bytes->empty() && bytes->front() == '{')
    return fromReport(o, *bytes);
  auto images = deviceImages(*bytes);
  if (!images)
    return fail(images.error().code, o.file + ": " + images.error().message);
  Settings s = settings().settings;
  s.cache = false;
  auto engine = makeEngine(s);
  auto library = openCompiler(engine->options().settings, engine->options().jitPath);
  if (!library)
    return tl::unexpected(library.error());
  std::vector<Source> sources;
  for (size_t i = 0; i < images->size(); ++i) {
    const DeviceImage &image = (*images)[i];
    if ((o.index >= 0 && size_t(o.index) != i) || image.id.find(o.arch) == std::string::npos)
      continue;
    auto object = CodeObject::parse(image.bytes);
    if (!object || object->bitcode().empty())
      continue;
    GatedCompile made =
        compileAndGate(**library, *object, s, engine->withProfile({}, object->elf.bytes()));
    sources.push_back({o.file + " " + object->isa.targetId(), outcomeName(made.outcome),
                       std::move(made.reason),
                       Json::parse(made.compiled.metadata, nullptr, false)});
  }
  if (sources.empty())
    return fail(ErrorCode::notFound, o.file + ": no device image with bitcode fits");
  return sources;
}

Result<std::vector<Source>> fromCache() {
  auto engine = makeEngine(settings().settings);
  std::vector<Source> sources;
  if (!engine->disk())
    return sources;
  auto files = engine->disk()->list();
  if (!files)
    return tl::unexpected(files.error());
  for (const CacheFile &file : *files) {
    auto entry = file.temporary ? Result<CacheEntryHeader>(fail(ErrorCode::notFound, ""))
                                : engine->disk()->header(file.name);
    if (!entry)
      continue;
    sources.push_back({"cache " + file.name.substr(0, 16), verdictName(entry->verdict),
                       entry->reason, Json::parse(entry->metadata, nullptr, false)});
  }
  return sources;
}

std::string plainNumber(const Json &value) {
  if (value.is_number_float())
    return std::to_string(std::llround(value.get<double>()));
  return value.is_number() ? value.dump() : "?";
}

/// The estimates before and after, side by side; fields as the compiler names them.
std::string resources(const Json &kernel) {
  auto before = kernel.find("before"), after = kernel.find("after");
  if (before == kernel.end() || after == kernel.end() || !before->is_object() ||
      !after->is_object())
    return {};
  std::vector<std::vector<std::string>> rows = {{"    RESOURCE", "BEFORE", "AFTER"}};
  for (const auto &[key, value] : before->items())
    rows.push_back({"    " + key, plainNumber(value), plainNumber(after->value(key, Json()))});
  return table(rows);
}

/// Where something was decided; a branch is looked at by several passes, and more than once.
constexpr size_t kMostPlaces = 6;

struct Group {
  std::string reason;
  size_t count = 0;
  std::vector<std::string> places;
};

void add(std::vector<Group> &groups, const std::string &reason, const std::string &place) {
  auto group = std::find_if(groups.begin(), groups.end(),
                            [&](const Group &g) { return g.reason == reason; });
  if (group == groups.end())
    group = groups.insert(groups.end(), Group{reason, 0, {}});
  ++group->count;
  if (std::find(group->places.begin(), group->places.end(), place) == group->places.end())
    group->places.push_back(place);
}

std::string places(const Group &group) {
  std::string out;
  for (size_t i = 0; i < std::min(group.places.size(), kMostPlaces); ++i)
    out += (i ? ", " : "") + group.places[i];
  if (group.places.size() > kMostPlaces)
    out += ", and " + std::to_string(group.places.size() - kMostPlaces) + " more";
  return out;
}

/// What was melded with what, one pair of blocks behind the other.
std::string sideBySide(const Json &decision) {
  auto sides = decision.find("sides");
  if (sides == decision.end() || !sides->is_object() || !sides->contains("rows") ||
      !(*sides)["rows"].is_array())
    return {};
  struct Row {
    std::string whose, left, right;
  };
  std::vector<Row> rows;
  size_t width = 8;
  for (const Json &row : (*sides)["rows"])
    if (row.is_array() && row.size() == 3 && row[0].is_string() && row[1].is_string() &&
        row[2].is_string()) {
      rows.push_back({row[0], row[1], row[2]});
      width = std::max(width, rows.back().left.size());
    }
  auto line = [&](const std::string &left, const std::string &middle, const std::string &right) {
    return "\n        " + left + std::string(width - left.size(), ' ') + middle + right;
  };
  std::string out;
  for (const Row &row : rows)
    if (row.whose == "blocks")
      out += line(row.left.empty() ? "left" : row.left, "   ",
                  row.right.empty() ? "right" : row.right) +
             line(std::string(width, '-'), "-+-", std::string(width, '-'));
    else if (row.whose == "both")
      out += line(row.left, " | ", row.right);
    else // "left, run by all" -> "(run by all)"; else behind a guard
      out += line(row.left, row.right.empty() ? " < " : " > ", row.right) +
             (row.whose.find("all") != std::string::npos ? "  (run by all)" : "");
  if (std::string more = jsonText(*sides, "leftOut"); !more.empty() && more != "0")
    out += "\n        and " + more + " more";
  return out;
}

std::string melding(const Json &decision) {
  return jsonText(decision, "pass") + " (" + jsonText(decision, "point") +
         "): " + jsonText(decision, "reason") + ", profit " + jsonText(decision, "profit");
}

std::string meldings(const char *title, const std::vector<Group> &groups) {
  std::string out;
  for (const Group &group : groups)
    out += (out.empty() ? title : "") + ("    " + places(group)) + "\n      " + group.reason + "\n";
  return out;
}

std::string decisions(const Json &kernel, bool brief) {
  auto list = kernel.find("decisions");
  if (list == kernel.end() || !list->is_array())
    return {};
  std::vector<Group> melded, left;
  for (const Json &one : *list) {
    if (!one.is_object())
      continue;
    if (!jsonFlag(one, "melded", false)) {
      add(left, jsonText(one, "reason"), jsonText(one, "location"));
      continue;
    }
    std::string what = melding(one);
    if (std::string how = jsonText(one, "alignment"); !how.empty())
      what += "\n      " + how;
    if (!brief)
      what += sideBySide(one);
    add(melded, what, jsonText(one, "location"));
  }
  std::string out = meldings("\n  changed\n", melded);
  if (!left.empty())
    out += "\n  left as it was\n";
  for (const Group &group : left)
    out += "    " + group.reason + "\n      " + places(group) + "\n";
  return out;
}

/// Before inlining a branch of a kernel may stand in a function that it calls; which ones a kernel
/// has swallowed is not written down, so all of the code object are told.
std::string inFunctions(const Json &functions) {
  if (!functions.is_array())
    return {};
  std::vector<Group> melded;
  for (const Json &one : functions)
    if (one.is_object())
      add(melded, melding(one),
          demangle(jsonText(one, "function")) + " " + jsonText(one, "location"));
  return meldings("\n  melded in functions of this code object, which its kernels mostly inline\n",
                  melded);
}

/// What was measured of the kernel in its launches (MELD_ADAPT=on).
std::string describeMeasured(const Json &one) {
  return demangle(jsonText(one, "name")) + "  (" + jsonText(one, "from") + ", measured)\n" +
         jsonText(one, "text");
}

/// How far it was searched for the meldings that are to blame; "" where nothing was searched.
std::string searched(const Json &kernel) {
  const auto search = kernel.find("search");
  if (search == kernel.end() || !search->is_object())
    return {};
  const std::string spent = jsonText(*search, "spent"), each = jsonText(*search, "perTry");
  if (!jsonFlag(*search, "cutShort", false))
    return "  search: to its end, for " + spent + " instructions\n";
  return "  search: cut short after " + spent + " instructions of at most " +
         jsonText(*search, "allowance") + ", as one more try takes " + each +
         "; the best that was seen is taken\n";
}

/// A static build's record has no gain: it saw no machine code.
std::string whatBecameOf(const Json &kernel) {
  const std::string verdict = jsonText(kernel, "verdict"), gain = jsonText(kernel, "gainPercent");
  if (gain.empty())
    return "  kernel: " + verdict + "\n";
  const bool melded = jsonFlag(kernel, "melded", false);
  return std::string("  kernel: ") + (melded ? "improved, " : "kept, ") + verdict +
         (melded ? " (" + gain + " % better)" : "") + "\n";
}

std::string describe(const Json &one, bool brief) {
  if (one.contains("measured"))
    return describeMeasured(one);
  const Json &kernel = one["kernel"];
  std::string out = demangle(jsonText(kernel, "name")) + "  (" + jsonText(one, "from") + ")\n";
  if (!jsonText(one, "recipe").empty())
    out += "  a version: " + jsonText(one, "recipe") + "\n";
  if (!jsonText(one, "facts").empty())
    out += "  for launches with: " + jsonText(one, "facts") + "\n";
  std::string reason = jsonText(one, "reason");
  out += "  code object: " + jsonText(one, "verdict") +
         (reason.empty() ? "" : " (" + reason + ")") + "\n";
  if (jsonFlag(kernel, "neverRan", false))
    out += "  kernel: left alone, it never ran in the profile (MELD_PROFILE)\n";
  else if (!jsonFlag(kernel, "selected", true))
    out += "  kernel: left out by MELD_KERNEL_INCLUDE or MELD_KERNEL_EXCLUDE\n";
  else
    out += whatBecameOf(kernel) + searched(kernel);
  std::string numbers = resources(kernel);
  out += (numbers.empty() ? "" : "\n" + numbers) + decisions(kernel, brief);
  if (std::string more = jsonText(kernel, "rejectionsLeftOut"); !more.empty() && more != "0")
    out += "    and " + more + " more places\n";
  return out;
}

/// The kernels that fit, of an entry with what was measured.
void addMeasured(const Source &source, const std::string &pattern, Json &found) {
  const auto verdicts = adapt::ObjectVerdicts::parse(
      source.metadata.dump(-1, ' ', false, Json::error_handler_t::replace));
  if (!verdicts)
    return;
  for (const auto &[name, verdict] : verdicts->kernels)
    if (matches(name, pattern))
      found.push_back({{"from", source.where},
                       {"verdict", source.verdict},
                       {"name", name},
                       {"measured", source.metadata["kernels"][name]},
                       {"text", adapt::describeKernel(demangle(name), verdict)}});
}

int explain(const Cli &cli, const ExplainOptions &o) {
  auto sources = o.file.empty() ? fromCache() : fromFile(o);
  if (!sources)
    return complain(sources.error().message);
  Json found = Json::array();
  std::vector<std::string> others;
  for (const Source &source : *sources) {
    if (!source.metadata.is_object() || !source.metadata.contains("kernels"))
      continue;
    if (source.verdict == verdictName(Verdict::measured)) {
      addMeasured(source, o.kernel, found);
      continue;
    }
    for (const Json &kernel : source.metadata["kernels"]) {
      if (!kernel.is_object() || !kernel.contains("name") || !kernel["name"].is_string())
        continue;
      std::string name = kernel["name"];
      if (!matches(name, o.kernel)) {
        others.push_back(shortForms(demangle(name)).second);
        continue;
      }
      found.push_back(
          {{"from", source.where},
           {"verdict", source.verdict},
           {"reason", source.reason},
           {"recipe", source.metadata.contains("recipe") ? source.metadata["recipe"] : Json()},
           {"facts", source.metadata.contains("facts") ? source.metadata["facts"] : Json()},
           {"kernel", kernel},
           {"functions", source.metadata.value("functions", Json::array())}});
    }
  }
  if (found.empty()) {
    std::string near = suggest(o.kernel, others);
    std::string hint = !near.empty()     ? "; did you mean " + near + "?"
                       : !others.empty() ? "; there is " + others.front() + ", for example"
                       : o.file.empty() ? "; run the program first, or name a file: meld explain " +
                                              o.kernel + " ./app"
                                        : "";
    for (const Source &source : *sources)
      if (!source.reason.empty() && !o.file.empty())
        hint += "\n  " + source.where + ": " + source.verdict + ": " + source.reason;
    return complain("nothing is known about a kernel " + o.kernel + hint);
  }
  if (cli.json()) {
    print(found);
    return kOk;
  }
  std::string out;
  for (size_t i = 0; i < found.size(); ++i) {
    out += (out.empty() ? "" : "\n") + describe(found[i], o.brief);
    if (found[i].contains("functions") &&
        (i + 1 == found.size() || found[i + 1]["from"] != found[i]["from"]))
      out += inFunctions(found[i]["functions"]);
  }
  print(out);
  return kOk;
}

} // namespace

void addExplain(Cli &cli) {
  CLI::App *sub =
      cli.verb("explain", "Why a kernel was melded or not",
               "  meld explain bitonicSort ./app\n"
               "  meld explain saxpy                 # from the cache, after a run\n"
               "  meld explain saxpy reports/a.hip-gfx90a-1f2e3d4c.json   # of a static build\n"
               "  meld explain _Z5saxpyfPKfPfi --format=json\n");
  auto o = std::make_shared<ExplainOptions>();
  sub->add_option("kernel", o->kernel, "Kernel, mangled or not; arguments may be left out")
      ->required();
  sub->add_option(
      "file", o->file,
      "Compile this file's bitcode now instead of asking the cache; or a static build's report");
  sub->add_option("--arch", o->arch, "Only images for this processor")->option_text("gfx...");
  sub->add_option("--index", o->index, "Only the image with this number");
  sub->add_flag("--brief", o->brief, "Without the melded sides next to each other");
  sub->callback([&cli, o] { cli.action = [&cli, o] { return explain(cli, *o); }; });
}

} // namespace meld::cli
