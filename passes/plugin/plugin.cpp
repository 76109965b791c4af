// The plugin of opt and clang:
//   opt-15 -load-pass-plugin build/lib/MeldPasses.so -passes='meld' in.ll -S
//   opt-15 -load-pass-plugin build/lib/MeldPasses.so -passes='default<O3>' in.bc -o out.bc
//   hipcc -Xarch_device -fpass-plugin=build/lib/MeldPasses.so ...          (docs/static-melding.md)
// Variables tell the last two what they would be told in meld<...>, and where to report:
//   MELD_PLUGIN_OPTIONS   "min-profit=5;no-late", or @FILE with that text in it
//   MELD_PLUGIN_REPORT    a folder (passes/plugin/report.h)
//   MELD_PLUGIN_SPECIALIZE  "KERNEL: argument 8 4 0x3; workgroup 64 1 1", in the order of facts: the code is right for
//                         launches with these facts alone (passes/specialize/facts.h), which the caller compares.
//                         Where it is said on stderr that the code is of no use, it is right for none
#include "passes/pipeline.h"
#include "passes/plugin/report.h"
#include "passes/specialize/specialization.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;

namespace meld::passes {
namespace {

/// Behind all of ours: it reads what they have logged.
class ReportPass : public PassInfoMixin<ReportPass> {
public:
  ReportPass(std::shared_ptr<DecisionLog> log, std::string folder)
      : log_(std::move(log)), folder_(std::move(folder)) {}
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    if (auto error = writeStaticReport(module, *log_, folder_)) // the code is as good without
      errs() << "warning: " << toString(std::move(error)) << "\n";
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

private:
  std::shared_ptr<DecisionLog> log_;
  std::string folder_;
};

Expected<MeldOptions> optionsFrom(StringRef text) {
  if (text.empty() || text.front() != '@')
    return MeldOptions::parse(text);
  auto file = MemoryBuffer::getFile(text.drop_front(), /*IsText=*/true);
  if (!file)
    return createStringError(file.getError(), "MELD_PLUGIN_OPTIONS: %s: %s",
                             text.drop_front().str().c_str(), file.getError().message().c_str());
  return MeldOptions::parse((*file)->getBuffer().trim());
}

/// Says at the end whether the kernel may be used.
class RefusedPass : public PassInfoMixin<RefusedPass> {
public:
  explicit RefusedPass(std::shared_ptr<Specialization> about) : about_(std::move(about)) {}
  PreservedAnalyses run(Module &, ModuleAnalysisManager &) {
    if (about_->refused)
      errs() << "MELD_PLUGIN_SPECIALIZE: " << about_->kernel
             << ": the code is of no use: " << about_->why << "\n";
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

private:
  std::shared_ptr<Specialization> about_;
};

std::shared_ptr<Specialization> specializationFrom(const std::string &text) {
  const size_t colon = text.find(": ");
  const auto facts = colon == std::string::npos ? std::nullopt : parseFacts(text.substr(colon + 2));
  if (facts)
    return std::make_shared<Specialization>(
        Specialization{text.substr(0, colon), *facts, {}, {}, false, false});
  errs() << "MELD_PLUGIN_SPECIALIZE: not KERNEL: FACTS, " << text << "\n";
  return nullptr;
}

void registerAll(PassBuilder &builder) {
  MeldOptions options;
  if (const char *text = std::getenv("MELD_PLUGIN_OPTIONS")) {
    if (auto parsed = optionsFrom(text))
      options = *parsed;
    else
      errs() << toString(parsed.takeError()) << "\n";
  }
  if (const char *text = std::getenv("MELD_PLUGIN_SPECIALIZE"); text && *text)
    options.specialization = specializationFrom(text);
  const char *folder = std::getenv("MELD_PLUGIN_REPORT");
  const bool reports = folder && *folder;
  options.recordSides = reports;
  // Held by the builder, and by the pass in the pipeline.
  const auto log = reports ? std::make_shared<DecisionLog>() : nullptr;
  registerMeldCallbacks(builder, options, log.get());
  // The dots: from 20 on there is a link-time phase, too.
  builder.registerOptimizerLastEPCallback(
      [log, folder = std::string(reports ? folder : ""),
       about = options.specialization](ModulePassManager &manager, OptimizationLevel, auto...) {
        if (about)
          manager.addPass(RefusedPass(about));
        if (log)
          manager.addPass(ReportPass(log, folder));
      });
}

} // namespace
} // namespace meld::passes

extern "C" __attribute__((visibility("default"))) ::llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "MeldPasses", "0.1.0", meld::passes::registerAll};
}
