// meld explain: why a kernel was melded or not. From the cache, or by compiling a file now.
#include "shim/cli/cli.h"

#include <cstdlib>

namespace meld::cli {
namespace {

struct Options {
  std::string kernel, file, arch;
  int index = -1;
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

Result<std::vector<Source>> fromFile(const Options &o) {
  auto bytes = readWholeFile(o.file);
  if (!bytes)
    return tl::unexpected(bytes.error());
  auto images = findDeviceImages(*bytes);
  if (!images)
    return fail(images.error().code, o.file + ": " + images.error().message);
  Settings s = settings().settings;
  s.cache = false;
  auto engine = makeEngine(s);
  auto library = JitLibrary::open(engine->options().jitPath);
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
    JitOutcome outcome = (*library)->compile(image.bytes, object->isa.targetId(), s);
    Source source;
    source.where = o.file + " " + object->isa.targetId();
    source.verdict = outcome.status == MELD_JIT_REPLACED    ? "replaced"
                     : outcome.status == MELD_JIT_UNCHANGED ? "unchanged"
                                                            : "failed";
    source.reason = outcome.reason;
    if (outcome.status == MELD_JIT_REPLACED)
      if (auto findings = gate(image.bytes, outcome.codeObject); findings && !findings->empty()) {
        source.verdict = "unchanged";
        source.reason = "gate: " + findings->front().describe();
      }
    source.metadata = Json::parse(outcome.metadata, nullptr, false);
    sources.push_back(std::move(source));
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
    sources.push_back({"cache " + file.name.substr(0, 16),
                       entry->verdict == Verdict::replaced ? "replaced" : "unchanged",
                       entry->reason, Json::parse(entry->metadata, nullptr, false)});
  }
  return sources;
}

std::string plain(const Json &value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// One line per field; nested lists (an alignment, say) indented below.
void describe(const Json &value, const std::string &indent, std::string &out) {
  if (value.is_object()) {
    for (const auto &[key, inner] : value.items()) {
      if (inner.is_structured() && !inner.empty()) {
        out += indent + key + ":\n";
        describe(inner, indent + "  ", out);
      } else {
        out += indent + key + ": " + plain(inner) + "\n";
      }
    }
  } else if (value.is_array()) {
    for (const Json &inner : value) {
      if (inner.is_object()) {
        std::string block;
        describe(inner, indent + "  ", block);
        if (block.size() > indent.size())
          block[indent.size()] = '-';
        out += block;
      } else {
        out += indent + "- " + plain(inner) + "\n";
      }
    }
  } else {
    out += indent + plain(value) + "\n";
  }
}

int explain(const Cli &cli, const Options &o) {
  auto sources = o.file.empty() ? fromCache() : fromFile(o);
  if (!sources)
    return complain(sources.error().message);
  Json found = Json::array();
  std::vector<std::string> others;
  for (const Source &source : *sources) {
    if (!source.metadata.is_object() || !source.metadata.contains("kernels"))
      continue;
    for (const Json &kernel : source.metadata["kernels"]) {
      if (!kernel.is_object() || !kernel.contains("name") || !kernel["name"].is_string())
        continue;
      std::string name = kernel["name"];
      if (!matches(name, o.kernel)) {
        others.push_back(shortForms(demangle(name)).second);
        continue;
      }
      found.push_back({{"from", source.where},
                       {"verdict", source.verdict},
                       {"reason", source.reason},
                       {"kernel", kernel}});
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
  for (const Json &one : found) {
    out += demangle(one["kernel"]["name"].get<std::string>()) + "  (" +
           one["from"].get<std::string>() +
           ")\n  code object: " + one["verdict"].get<std::string>();
    std::string reason = one["reason"];
    out += (reason.empty() ? "" : " (" + reason + ")") + "\n";
    Json rest = one["kernel"];
    rest.erase("name");
    describe(rest, "  ", out);
  }
  print(out);
  return kOk;
}

} // namespace

void addExplain(Cli &cli) {
  CLI::App *sub = cli.verb("explain", "Why a kernel was melded or not",
                           "  meld explain bitonicSort ./app\n"
                           "  meld explain saxpy                 # from the cache, after a run\n"
                           "  meld explain _Z5saxpyfPKfPfi --format=json\n");
  auto o = std::make_shared<Options>();
  sub->add_option("kernel", o->kernel, "Kernel, mangled or not; arguments may be left out")
      ->required();
  sub->add_option("file", o->file, "Compile this file's bitcode now instead of asking the cache");
  sub->add_option("--arch", o->arch, "Only images for this processor")->option_text("gfx...");
  sub->add_option("--index", o->index, "Only the image with this number");
  sub->callback([&cli, o] { cli.action = [&cli, o] { return explain(cli, *o); }; });
}

} // namespace meld::cli
