// A clang plugin (-fpass-plugin) that looks at device code right before code generation, after
// everything clang -O3 does. It either
//
//   MELD_BENCH_CLAIMS=FILE   gives every instruction a line number of its own, so that machine code
//                            can be traced back to it, and writes to FILE what is known of it
//                            before the program runs: LLVM's divergence analysis, ours,
//                            convergence, where a difference comes from (cause.h), and what ours
//                            would say if it were told the shape of the workgroups; with
//                            MELD_BENCH_TOGETHER=1 after meld-converged-loops; or
//   MELD_BENCH_HIDE=1        takes uniformity away from the backend, as far as that goes: kernel
//                            arguments, workgroup ids, the pointers to the dispatch packet and the
//                            implicit arguments, and constants that enter phis pass through an
//                            empty assembly statement whose result is a vector register, which LLVM
//                            has to take for divergent. What remains scalar: addresses of globals
//                            and LDS, immediate operands, EXEC masks, and the loads of the
//                            arguments themselves.
//
// One compilation at a time; host code passes through untouched.
#include "bench/scalar/cause.h"
#include "passes/analysis/divergence.h"
#include "passes/pipeline.h"
#include "passes/scalarize/converged_loops.h"
#include "llvm/ADT/Triple.h"
#include "llvm/Analysis/DivergenceAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/JSON.h"
#include "llvm/Transforms/Utils/Debugify.h"
#include <cstdlib>

using namespace llvm;

namespace {

/// Our analysis, for each shape of workgroup that bench/ launches.
using ShapedViews =
    std::vector<std::pair<std::string, std::unique_ptr<meld::passes::DivergenceInfo>>>;

ShapedViews shapedViews(Function &function, const LoopInfo &loops, const DominatorTree &dominators,
                        const PostDominatorTree &postDominators) {
  constexpr unsigned shapes[][3] = {{32, 1, 1},  {64, 1, 1},   {128, 1, 1}, {256, 1, 1},
                                    {512, 1, 1}, {1024, 1, 1}, {16, 1, 1},  {4, 4, 1},
                                    {8, 8, 1},   {16, 16, 1},  {32, 32, 1}, {32, 8, 1},
                                    {4, 4, 4},   {8, 8, 4},    {4, 4, 16},  {64, 4, 1}};
  MDNode *before = function.getMetadata("reqd_work_group_size");
  ShapedViews views;
  for (const auto &shape : shapes) {
    IntegerType *type = Type::getInt32Ty(function.getContext());
    SmallVector<Metadata *, 3> sizes;
    for (unsigned size : shape)
      sizes.push_back(ConstantAsMetadata::get(ConstantInt::get(type, size)));
    function.setMetadata("reqd_work_group_size", MDNode::get(function.getContext(), sizes));
    views.emplace_back(std::to_string(shape[0]) + "x" + std::to_string(shape[1]) + "x" +
                           std::to_string(shape[2]),
                       std::make_unique<meld::passes::DivergenceInfo>(function, loops, dominators,
                                                                      postDominators));
  }
  function.setMetadata("reqd_work_group_size", before);
  return views;
}

/// ours, for one instruction: the widths of what it computes and of what it computes it from.
json::Object claimsOf(const Instruction &instruction, const meld::passes::DivergenceInfo &ours,
                      const llvm::DivergenceInfo &theirs, const meld::bench::Causes &causes,
                      const ShapedViews &shaped) {
  using meld::passes::Width;
  const bool hasValue = !instruction.getType()->isVoidTy();
  Width operands = Width::all;
  bool theirOperands = true;
  for (const Use &use : instruction.operands()) {
    if (isa<Instruction>(use) || isa<Argument>(use)) {
      operands = meet(operands, ours.widthAtUse(use, &instruction));
      theirOperands = theirOperands && !theirs.isDivergentUse(use);
    }
  }
  const BasicBlock *block = instruction.getParent();
  const Width result = hasValue ? ours.width(&instruction) : operands;
  json::Array shapes;
  if (result < Width::wave)
    for (const auto &[shape, view] : shaped)
      if (hasValue && view->width(&instruction) >= Width::wave)
        shapes.push_back(shape);
  return json::Object{{"line", int64_t(instruction.getDebugLoc().getLine())},
                      {"ours", result >= Width::wave},
                      {"oursOperands", operands >= Width::wave},
                      {"llvm", hasValue ? !theirs.isDivergent(instruction) : theirOperands},
                      {"convergent", ours.isConvergentExceptExits(block, Width::wave)},
                      {"cause", name(causes.of(instruction))},
                      {"opcode", instruction.getOpcodeName()},
                      {"floating", hasValue && !isa<LoadInst>(instruction) &&
                                       instruction.getType()->isFPOrFPVectorTy()},
                      {"shapes", std::move(shapes)}};
}

/// Terminators and their conditions: later passes put rewritten loop counters under their lines. A
/// ballot, too: it becomes the comparison itself, whose result is another one for each lane. A phi:
/// what stands under its line are copies, those of its neighbours with them.
bool makesNoClaim(const Instruction &instruction) {
  auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  return instruction.isTerminator() || isa<PHINode>(instruction) ||
         (intrinsic && intrinsic->getIntrinsicID() == Intrinsic::amdgcn_ballot) ||
         (isa<CmpInst>(instruction) && !instruction.use_empty() &&
          all_of(instruction.users(),
                 [](const User *user) { return cast<Instruction>(user)->isTerminator(); }));
}

/// What is known of where it stands alone.
json::Object blockOf(const Instruction &instruction, const meld::passes::DivergenceInfo &ours) {
  return json::Object{{"line", int64_t(instruction.getDebugLoc().getLine())},
                      {"blockOnly", true},
                      {"convergent", ours.isConvergentExceptExits(instruction.getParent(),
                                                                  meld::passes::Width::wave)}};
}

bool writeClaims(Module &module, FunctionAnalysisManager &analyses, const char *file) {
  applyDebugifyMetadata(module, module.functions(), "", nullptr);
  json::Array functions;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    auto &loops = analyses.getResult<LoopAnalysis>(function);
    auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
    auto &postDominators = analyses.getResult<PostDominatorTreeAnalysis>(function);
    const meld::passes::DivergenceInfo ours(function, loops, dominators, postDominators);
    const llvm::DivergenceInfo theirs(function, dominators, postDominators, loops,
                                      analyses.getResult<TargetIRAnalysis>(function),
                                      /*KnownReducible=*/false);
    const meld::bench::Causes causes(function, ours);
    const ShapedViews shaped = shapedViews(function, loops, dominators, postDominators);
    json::Array claims;
    for (const Instruction &instruction : instructions(function))
      if (instruction.getDebugLoc() && !isa<DbgInfoIntrinsic>(instruction))
        claims.push_back(makesNoClaim(instruction)
                             ? blockOf(instruction, ours)
                             : claimsOf(instruction, ours, theirs, causes, shaped));
    functions.push_back(
        json::Object{{"function", function.getName()}, {"claims", std::move(claims)}});
  }
  std::error_code error;
  raw_fd_ostream out(file, error);
  if (error) {
    errs() << "MELD_BENCH_CLAIMS: " << file << ": " << error.message() << "\n";
    std::exit(1);
  }
  out << json::Value(std::move(functions)) << "\n";
  return true;
}

/// A value of one or two registers.
bool fits(const Type *type) {
  return type->isPointerTy() ||
         (type->isSingleValueType() && !type->isVectorTy() &&
          (type->getPrimitiveSizeInBits() == 32 || type->getPrimitiveSizeInBits() == 64));
}

/// The value behind an empty statement with a result in vector registers.
Value *hidden(Value *value, Instruction *before) {
  auto *type = FunctionType::get(value->getType(), {value->getType()}, false);
  auto *statement = InlineAsm::get(type, "", "=v,0", /*hasSideEffects=*/false);
  return CallInst::Create(type, statement, {value}, "", before);
}

void hideUses(Value &value, Instruction *before) {
  Value *behind = hidden(&value, before);
  value.replaceUsesWithIf(behind, [&](const Use &use) { return use.getUser() != behind; });
}

bool hideUniformity(Function &function) {
  Instruction *entry = &*function.getEntryBlock().getFirstInsertionPt();
  for (Argument &argument : function.args())
    if (!argument.use_empty() && fits(argument.getType()) && !argument.hasByRefAttr())
      hideUses(argument, entry);
  SmallVector<CallInst *, 8> sources;
  SmallVector<PHINode *, 16> phis;
  for (Instruction &instruction : instructions(function)) {
    if (auto *call = dyn_cast<CallInst>(&instruction))
      switch (call->getIntrinsicID()) {
      case Intrinsic::amdgcn_workgroup_id_x:
      case Intrinsic::amdgcn_workgroup_id_y:
      case Intrinsic::amdgcn_workgroup_id_z:
      case Intrinsic::amdgcn_dispatch_ptr:
      case Intrinsic::amdgcn_implicitarg_ptr:
        sources.push_back(call);
      }
    if (auto *phi = dyn_cast<PHINode>(&instruction); phi && fits(phi->getType()))
      phis.push_back(phi);
  }
  for (CallInst *call : sources)
    hideUses(*call, call->getNextNode());
  DenseMap<Constant *, Value *> constants;
  for (PHINode *phi : phis)
    for (unsigned k = 0; k < phi->getNumIncomingValues(); ++k)
      if (auto *constant = dyn_cast<ConstantData>(phi->getIncomingValue(k));
          constant && !isa<UndefValue>(constant)) {
        Value *&behind = constants[constant];
        if (!behind)
          behind = hidden(constant, &*function.getEntryBlock().getFirstInsertionPt());
        phi->setIncomingValue(k, behind);
      }
  return true;
}

void keepTogether(Module &module, FunctionAnalysisManager &analyses) {
  for (Function &function : module)
    if (!function.isDeclaration())
      analyses.invalidate(function,
                          meld::passes::ConvergedLoopsPass({}, nullptr).run(function, analyses));
}

struct UniformityPass : PassInfoMixin<UniformityPass> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &manager) {
    if (!Triple(module.getTargetTriple()).isAMDGCN())
      return PreservedAnalyses::all();
    if (const char *file = std::getenv("MELD_BENCH_CLAIMS")) {
      auto &analyses = manager.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
      if (std::getenv("MELD_BENCH_TOGETHER"))
        keepTogether(module, analyses);
      writeClaims(module, analyses, file);
    } else if (std::getenv("MELD_BENCH_HIDE")) {
      for (Function &function : module)
        if (!function.isDeclaration())
          hideUniformity(function);
    }
    return PreservedAnalyses::none();
  }
};

} // namespace

extern "C" __attribute__((visibility("default"))) ::llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "MeldBenchUniformity", "1", [](PassBuilder &builder) {
            meld::passes::MeldOptions none;
            none.passes = "none"; // our analyses alone
            meld::passes::registerMeldCallbacks(builder, none, nullptr);
            builder.registerOptimizerLastEPCallback(
                [](ModulePassManager &passes, OptimizationLevel, auto...) {
                  passes.addPass(UniformityPass());
                });
          }};
}
