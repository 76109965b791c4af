// The opt plugin:
//   opt-15 -load-pass-plugin build/lib/MeldPasses.so -passes='meld' in.ll -S
//   opt-15 -load-pass-plugin build/lib/MeldPasses.so -passes='default<O3>' in.bc -o out.bc
// MELD_PLUGIN_OPTIONS holds parameters for the second form, as in meld<...>:
// "min-profit=5;no-late".
#include "passes/pipeline.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

extern "C" __attribute__((visibility("default"))) ::llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "MeldPasses", "0.1.0", [](llvm::PassBuilder &builder) {
            meld::passes::MeldOptions options;
            if (const char *text = std::getenv("MELD_PLUGIN_OPTIONS")) {
              if (auto parsed = meld::passes::MeldOptions::parse(text))
                options = *parsed;
              else
                llvm::errs() << llvm::toString(parsed.takeError()) << "\n";
            }
            meld::passes::registerMeldCallbacks(builder, options, nullptr);
          }};
}
