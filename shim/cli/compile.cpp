// meld compile: the pipeline offline. Reads a file, writes the code object that libmeld would load.
#include "runtime/engine/gated_compile.h"
#include "runtime/engine/open_compiler.h"
#include "runtime/host/whole_file.h"
#include "shim/cli/cli.h"

namespace meld::cli {
namespace {

struct CompileOptions {
  std::string file, output, arch;
  int index = -1;
};

int compile(const Cli &cli, const CompileOptions &o) {
  auto bytes = readWholeFile(o.file);
  if (!bytes)
    return complain(bytes.error().message);
  auto images = deviceImages(*bytes);
  if (!images)
    return complain(o.file + ": " + images.error().message);
  auto image = chooseImage(*images, o.arch, o.index);
  if (!image)
    return complain(o.file + ": " + image.error().message, kUsage);
  if (image->bytes.empty())
    return complain(o.file + ": " + image->id + ": " + image->note);
  auto object = CodeObject::parse(image->bytes);
  if (!object)
    return complain(o.file + ": " + object.error().message);
  if (object->bitcode().empty())
    return complain(o.file + ": " + image->id +
                    " carries no bitcode; compile it with -Xclang -fembed-bitcode=all");
  Settings s = settings().settings;
  s.cache = false; // offline means: now
  auto engine = makeEngine(s);
  auto library = openCompiler(s, engine->options().jitPath);
  if (!library)
    return complain(library.error().message);
  const GatedCompile made = compileAndGate(**library, *object, s);
  const JitOutcome &outcome = made.compiled;
  const bool written = outcome.status == MELD_JIT_REPLACED; // the gate's refusal is told
  const std::string verdict = written ? "replaced" : outcomeName(made.outcome);
  std::vector<std::string> refused;
  for (const GateFinding &finding : made.refused)
    refused.push_back(finding.describe());
  if (written)
    if (auto ok = writeWholeFile(o.output, outcome.codeObject); !ok)
      return complain(ok.error().message);
  if (cli.json()) {
    Json metadata = Json::parse(outcome.metadata, nullptr, false);
    print(Json{{"verdict", verdict},
               {"reason", outcome.reason},
               {"output", written ? Json(o.output) : Json(nullptr)},
               {"bytes", outcome.codeObject.size()},
               {"gate", refused},
               {"metadata", metadata.is_discarded() ? Json(nullptr) : metadata}});
  } else {
    std::string line = verdict + (outcome.reason.empty() ? "" : ": " + outcome.reason);
    if (written)
      line = o.output + ": " + humanSize(outcome.codeObject.size());
    print(line + "\n");
    for (const std::string &finding : refused)
      print("  the gate would refuse it: " + finding + "\n");
  }
  return made.outcome == Outcome::replaced ? kOk : kProblem;
}

} // namespace

void addCompile(Cli &cli) {
  CLI::App *sub = cli.verb("compile", "Run the pipeline offline and write the new code object",
                           "  meld compile ./app -o melded.co\n"
                           "  meld compile ./app --arch gfx90a -o melded.co\n"
                           "  MELD_PASSES=none meld compile kernel.co -o same.co\n");
  auto o = std::make_shared<CompileOptions>();
  sub->add_option("file", o->file, "Executable, fat binary or code object")->required();
  sub->add_option("-o,--output", o->output, "Where to write")->required()->option_text("OUT");
  sub->add_option("--arch", o->arch, "Image for this processor")->option_text("gfx...");
  sub->add_option("--index", o->index, "Image with this number");
  sub->callback([&cli, o] { cli.action = [&cli, o] { return compile(cli, *o); }; });
}

} // namespace meld::cli
