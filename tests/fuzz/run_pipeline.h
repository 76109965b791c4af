// LLVM's new pass manager over one module, as `opt -passes=PIPELINE` runs it.
//
// Thread rule: none.
#pragma once

#include <llvm/Passes/PassBuilder.h>

namespace meld::fuzz {

/// `builder` may have callbacks of ours. A pipeline that LLVM does not know ends the process.
inline void runPipeline(llvm::Module &module, llvm::PassBuilder &builder,
                        llvm::StringRef pipeline) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  llvm::cantFail(builder.parsePassPipeline(passes, pipeline));
  passes.run(module, modules);
}

} // namespace meld::fuzz
