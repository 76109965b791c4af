#include "tests/fuzz/kernel_compare.h"
#include "jit/code_object.h"
#include "jit/optimizer.h"
#include "passes/cost/estimate.h"
#include "passes/llvm_fixes/atomics_apart.h"
#include "passes/llvm_fixes/keep_joins.h"
#include "passes/llvm_fixes/unsigned_division.h"
#include "passes/llvm_fixes/wide_products.h"
#include "passes/melder/meld_choice.h"
#include "passes/pass_list.h"
#include "passes/pipeline.h"
#include "runtime/softgpu/isa/decoder.h"
#include "tests/fuzz/kernel_ir.h"

#include <cstring>
#include <filesystem>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/raw_ostream.h>
#include <optional>

namespace meld::fuzz {

using namespace llvm;

namespace {

/// How the code of optimised IR is made.
enum class Codegen : uint8_t { asTheIr, simple, best };

/// Steps of 1 to 16 and some numbers of lanes, alone and with everything else.
void flattenBySeed(uint64_t seed, const std::string &pass, passes::MeldOptions &options) {
  static constexpr unsigned lanes[] = {0, 8, 16, 32, 5, 33, 64, 200};
  uint64_t mixed = seed * 0x9e3779b97f4a7c15ull;
  options.flattenSteps = 1 + unsigned((mixed >> 32) % 16);
  options.flattenLanes = (mixed >> 40) % 2 ? lanes[(mixed >> 48) % std::size(lanes)] : 0;
  options.passes = seed & 2 ? pass : "all," + pass;
}

/// Pipeline, code generation, link. With `log`, melding is in; its decisions go there.
Expected<std::unique_ptr<MemoryBuffer>> compile(const KernelAst &ast, const Setup &setup,
                                                bool force, passes::DecisionLog *log,
                                                char level = '3', std::string *ir = nullptr,
                                                Codegen codegen = Codegen::asTheIr) {
  LLVMContext context;
#if LLVM_VERSION_MAJOR < 17
  context.setOpaquePointers(true);
#endif
  const auto options = setup.target.options(level);
  auto module = emitKernel(ast, context, setup.target.cpu);
  auto parsed = passes::MeldOptions::parse(setup.passes.empty() ? "" : "passes=" + setup.passes);
  if (!parsed)
    return parsed.takeError();
  passes::MeldOptions meldOptions = std::move(*parsed);
  meldOptions.force = force;
  meldOptions.early = !setup.noEarly;
  meldOptions.late = !setup.noLate;
  if (!setup.flat.empty())
    flattenBySeed(ast.seed, setup.flat, meldOptions);
  if (setup.meldings != ~0u)
    meldOptions.choice = std::make_shared<passes::MeldChoice>(
        passes::MeldChoice::ByFunction{{"fuzz", {{}, setup.meldings}}});
  if (llvm::Error e = jit::optimize(*module, options, setup.target.processor(), /*verify=*/true,
                                    [&](PassBuilder &pb) {
                                      if (log)
                                        passes::registerMeldCallbacks(pb, meldOptions, log);
                                    }))
    return Expected<std::unique_ptr<MemoryBuffer>>(std::move(e));
  // What LLVM divides or multiplies wrongly in the original is nothing to compare with, nor the
  // atomics that it takes for one.
  FunctionAnalysisManager unused;
  for (Function &function : *module)
    if (!log && !function.isDeclaration()) {
      passes::UnsignedDivisionPass().run(function, unused);
      if (passes::runsUnasked(passes::Chosen::onBeforeLlvm19))
        passes::WideProductsPass().run(function, unused);
      if (passes::runsUnasked(passes::Chosen::onLlvm17And18))
        passes::AtomicsApartPass().run(function, unused);
      if (setup.generator == wideGenerator)
        passes::KeepJoinsPass().run(function, unused);
    }
  if (ir)
    *ir = irText(*module);
  // LLVM can fault in what follows, and the worker with it: then this file is what is left.
  std::string last;
  if (log && !setup.keep.empty()) {
    std::filesystem::create_directories(setup.keep);
    last = setup.keep + "/" + std::to_string(ast.seed) + ".last.ll";
    std::error_code error;
    raw_fd_ostream(last, error) << irText(*module);
  }
  auto object = generateCode(*module, setup.target, codegen == Codegen::best ? '3' : level,
                             codegen == Codegen::simple);
  if (!last.empty())
    std::filesystem::remove(last);
  return object;
}

uint64_t vectorOf(const Memory &run) {
  return run.counters.insts[unsigned(softgpu::isa::Category::valu)];
}

/// Word `i` of two runs, where they differ: ": 0x1 instead of 0x0"; empty where they do not.
std::string difference(const std::vector<uint8_t> &a, const std::vector<uint8_t> &b, size_t i) {
  uint32_t was, is;
  std::memcpy(&was, &a[4 * i], 4);
  std::memcpy(&is, &b[4 * i], 4);
  if (was == is)
    return {};
  char text[64];
  std::snprintf(text, sizeof text, ": %#x instead of %#x", is, was);
  return text;
}

std::string firstDifference(const Memory &a, const Memory &b) {
  for (size_t i = 0; i < a.out.size() / 4; ++i)
    if (const std::string d = difference(a.out, b.out, i); !d.empty())
      return "out: thread " + std::to_string(i / wordsPerThread) + " word " +
             std::to_string(i % wordsPerThread) + d;
  for (size_t i = 0; i < a.acc.size() / 4; ++i)
    if (const std::string d = difference(a.acc, b.acc, i); !d.empty())
      return "acc word " + std::to_string(i) + d;
  return "none";
}

} // namespace

void report(const Setup &setup, uint64_t seed, const std::string &what, Tally &tally) {
  ++tally.findings;
  std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed), what.c_str());
  if (setup.keep.empty())
    return;
  std::filesystem::create_directories(setup.keep);
  LLVMContext context;
#if LLVM_VERSION_MAJOR < 17
  context.setOpaquePointers(true);
#endif
  std::error_code error;
  raw_fd_ostream file(setup.keep + "/" + std::to_string(seed) + ".ll", error);
  if (!error)
    file << irText(*emitKernel(generateKernel(seed, setup.generator), context, setup.target.cpu));
}

namespace {

/// Both versions' IR, code objects and the decisions, for a person to read.
void keepBoth(const Setup &setup, uint64_t seed, const KernelAst &ast) {
  if (setup.keep.empty())
    return;
  for (const bool isMelded : {false, true}) {
    std::string ir;
    passes::DecisionLog again;
    if (auto object =
            compile(ast, setup, isMelded && (seed & 1), isMelded ? &again : nullptr, '3', &ir)) {
      const std::string stem =
          setup.keep + "/" + std::to_string(seed) + (isMelded ? ".melded" : ".plain");
      std::error_code error;
      raw_fd_ostream(stem + ".ll", error) << ir;
      raw_fd_ostream(stem + ".co", error) << (*object)->getBuffer();
      raw_fd_ostream decisions(stem + ".txt", error);
      for (const auto &d : again.entries())
        decisions << (d.melded ? "melded " : "kept ") << nameOf(d.point) << " " << d.pass << " "
                  << d.location << ": " << d.reason << " (" << d.alignment << ")\n";
    } else {
      consumeError(object.takeError());
    }
  }
}

/// The same code object interpreted and translated: memory and every counter are equal. Melded code
/// of every second kernel: it has shapes that compilers do not make.
void runTiers(const Setup &setup, uint64_t seed, Tally &tally) {
  static const auto interpreter = makeGpu(setup.target, "off"),
                    translator = makeGpu(setup.target, "always");
  const KernelAst ast = generateKernel(seed, setup.generator);
  ++tally.kernels;
  passes::DecisionLog log;
  auto object = compile(ast, setup, true, seed & 1 ? &log : nullptr, seed & 2 ? '3' : '1');
  if (!object)
    return report(setup, seed, "compile: " + toString(object.takeError()), tally);
  tally.melded += log.meldedCount() != 0;
  tally.regions += log.meldedCount();
  auto want = execute(*interpreter, ast, (*object)->getBuffer());
  auto got = execute(*translator, ast, (*object)->getBuffer());
  if (!want || !got)
    return report(setup, seed,
                  "interpreted: " + (want ? "ran" : toString(want.takeError())) +
                      "; translated: " + (got ? "ran" : toString(got.takeError())),
                  tally);
  tally.plainInstructions += want->instructions;
  tally.meldedInstructions += got->instructions;
  if (!(*want == *got))
    report(setup, seed, "tiers: memory differs, " + firstDifference(*want, *got), tally);
  else if (std::memcmp(&want->counters, &got->counters, sizeof want->counters) != 0)
    report(setup, seed, "tiers: counters differ", tally);
}

/// Code for two targets. Every second kernel is melded for both. Kernels that ask other lanes of their
/// wave are skipped where waves differ in size, and wherever LLVM lays lanes out as it likes.
void runAgainst(const Setup &setup, uint64_t seed, Tally &tally) {
  static const auto gpu = makeGpu(setup.target), otherGpu = makeGpu(setup.other);
  const KernelAst ast = generateKernel(seed, setup.generator);
  ++tally.kernels;
  if (usesLanes(ast)) {
    ++tally.skipped;
    return;
  }
  Setup other = setup;
  other.target = setup.other;
  std::optional<Memory> results[2];
  for (const bool second : {false, true}) {
    const Setup &here = second ? other : setup;
    passes::DecisionLog log;
    auto object = compile(ast, here, true, seed & 1 ? &log : nullptr, seed & 2 ? '3' : '1');
    if (!object)
      return report(here, seed, "compile: " + toString(object.takeError()), tally);
    tally.melded += !second && log.meldedCount() != 0;
    tally.regions += log.meldedCount();
    auto memory = execute(second ? *otherGpu : *gpu, ast, (*object)->getBuffer());
    if (!memory)
      return report(here, seed, here.target.cpu + ": " + toString(memory.takeError()), tally);
    results[second] = std::move(*memory);
  }
  if (!(*results[0] == *results[1]))
    report(setup, seed,
           setup.target.cpu + " and " + other.target.cpu + " differ, " +
               firstDifference(*results[0], *results[1]),
           tally);
}

struct Opinion {
  bool plainIsWrong = false; ///< by two other compilations without our passes
  std::string text;
};

/// Other compilations say who is likely wrong: LLVM's code of the plain kernel, that of the melded
/// one, the executor, or our passes.
Opinion thirdOpinions(softgpu::Gpu &gpu, const Setup &setup, uint64_t seed, const KernelAst &ast,
                      const Memory &want, const Memory &got) {
  auto result = [&](bool isMelded, char level,
                    Codegen codegen = Codegen::asTheIr) -> std::optional<Memory> {
    passes::DecisionLog log;
    auto object = compile(ast, setup, isMelded && (seed & 1), isMelded ? &log : nullptr, level,
                          nullptr, codegen);
    auto memory =
        object ? execute(gpu, ast, (*object)->getBuffer()) : Expected<Memory>(object.takeError());
    if (memory)
      return std::move(*memory);
    consumeError(memory.takeError());
    return std::nullopt;
  };
  auto agrees = [&](const std::optional<Memory> &memory) {
    return !memory           ? "says nothing"
           : *memory == want ? "agrees with plain"
           : *memory == got  ? "agrees with melded"
                             : "differs from both";
  };
  const auto lower = result(false, '1'), simple = result(false, '3', Codegen::simple),
             unoptimised = result(false, '0', Codegen::simple),
             unoptimisedIr = result(false, '0', Codegen::best);
  unsigned forMelded = 0;
  for (const auto *memory : {&lower, &simple, &unoptimised, &unoptimisedIr})
    forMelded += *memory && **memory == got;
  if (forMelded >= 2)
    return {true,
            "LLVM's -O3 code of the plain kernel is wrong: the melded one has the result of " +
                std::to_string(forMelded) + " of four other compilations without melding"};
  return {false, std::string("plain -O1 ") + agrees(lower) + ", plain IR with -O0 code " +
                     agrees(simple) + ", plain -O0 " + agrees(unoptimised) +
                     ", plain -O0 IR with -O3 code " + agrees(unoptimisedIr) +
                     ", melded IR with -O0 code " + agrees(result(true, '3', Codegen::simple))};
}

/// Code that LLVM got wrong in a way the product's verdict on machine code knows: it would go on
/// with the original.
bool wouldBeRefused(const Setup &setup, StringRef plain, StringRef melded) {
  auto estimateOf = [&](StringRef object) {
    auto disassembler = passes::Disassembler::create(setup.target.processor());
    auto kernels = jit::readKernels(MemoryBufferRef(object, "fuzz"));
    passes::Estimate found;
    if (disassembler && kernels && kernels->size() == 1) // the emitter makes one
      found = passes::estimate(disassembler->decode(kernels->front()), kernels->front().resources,
                               setup.target.processor());
    consumeError(disassembler.takeError());
    consumeError(kernels.takeError());
    return found;
  };
  return !passes::mayBeWrong(estimateOf(plain), estimateOf(melded)).empty();
}

/// What became of the kernel's loops; whether there are rounds of any.
bool countNests(const Setup &setup, uint64_t seed, const passes::DecisionLog &log, Tally &tally) {
  bool any = false;
  for (const passes::Decision &decision : log.entries()) {
    if (decision.pass != "meld-" + setup.flat)
      continue;
    (decision.melded ? tally.flat : tally.left) += 1;
    any |= decision.melded;
    if (setup.why)
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed),
                  decision.reason.c_str());
  }
  return any;
}

} // namespace

void keepSeed(const Setup &setup, uint64_t seed) {
  keepBoth(setup, seed, generateKernel(seed, setup.generator));
}

void runSeed(softgpu::Gpu &gpu, const Setup &setup, uint64_t seed, Tally &tally) {
  if (setup.tiers)
    return runTiers(setup, seed, tally);
  if (!setup.other.cpu.empty())
    return runAgainst(setup, seed, tally);
  const KernelAst ast = generateKernel(seed, setup.generator);
  ++tally.kernels;
  passes::DecisionLog log;
  auto melded = compile(ast, setup, seed & 1, &log);
  if (!melded)
    return report(setup, seed, "melded compile: " + toString(melded.takeError()), tally);
  if (log.meldedCount() == 0 || (!setup.flat.empty() && !countNests(setup, seed, log, tally)))
    return;
  ++tally.melded;
  tally.regions += log.meldedCount();
  auto plain = compile(ast, setup, false, nullptr);
  if (!plain)
    return report(setup, seed, "plain compile: " + toString(plain.takeError()), tally);
  auto want = execute(gpu, ast, (*plain)->getBuffer());
  if (!want)
    return report(setup, seed, "plain run: " + toString(want.takeError()), tally);
  auto refused = [&](const char *what) {
    if (!wouldBeRefused(setup, (*plain)->getBuffer(), (*melded)->getBuffer()))
      return false;
    ++tally.refused;
    std::fprintf(stderr, "seed %llu: %s, and the verdict on its machine code refuses it\n",
                 static_cast<unsigned long long>(seed), what);
    return true;
  };
  auto got = execute(gpu, ast, (*melded)->getBuffer());
  if (!got) {
    if (refused("fails"))
      return consumeError(got.takeError());
    report(setup, seed, "melded run: " + toString(got.takeError()), tally);
    return keepBoth(setup, seed, ast);
  }
  tally.plainInstructions += want->instructions;
  tally.meldedInstructions += got->instructions;
  tally.plainVector += vectorOf(*want), tally.meldedVector += vectorOf(*got);
  tally.plainLanes += want->counters.activeLanesValu;
  tally.meldedLanes += got->counters.activeLanesValu;
  const uint64_t before = want->counters.activeLanesValu * vectorOf(*got),
                 after = got->counters.activeLanesValu * vectorOf(*want);
  tally.moreActive += after > before, tally.fewerActive += after < before;
  if (*want == *got)
    return;
  if (refused("differs"))
    return;
  const Opinion opinion = thirdOpinions(gpu, setup, seed, ast, *want, *got);
  if (opinion.plainIsWrong) {
    ++tally.skipped;
    std::fprintf(stderr, "seed %llu: skipped, %s\n", static_cast<unsigned long long>(seed),
                 opinion.text.c_str());
    return;
  }
  report(setup, seed, "memory differs, " + firstDifference(*want, *got) + "; " + opinion.text,
         tally);
  keepBoth(setup, seed, ast);
}

int compareObjects(const Setup &setup, uint64_t seed, const std::vector<std::string> &files) {
  auto gpu = makeGpu(setup.target);
  if (!gpu) {
    std::fprintf(stderr, "no software GPU of %s\n", setup.target.cpu.c_str());
    return 2;
  }
  const KernelAst ast = generateKernel(seed, setup.generator);
  std::optional<Memory> first;
  int status = 0;
  for (const std::string &file : files) {
    auto bytes = MemoryBuffer::getFile(file);
    if (!bytes) {
      std::fprintf(stderr, "cannot read %s: %s\n", file.c_str(),
                   bytes.getError().message().c_str());
      return 2;
    }
    auto memory = execute(*gpu, ast, (*bytes)->getBuffer());
    if (!memory) {
      std::printf("%s: %s\n", file.c_str(), toString(memory.takeError()).c_str());
      status = 1;
      continue;
    }
    if (!first)
      first = *memory;
    std::printf("%s: difference to the first: %s\n", file.c_str(),
                firstDifference(*first, *memory).c_str());
    if (!(*first == *memory))
      status = 1;
  }
  return status;
}

void compilePlain(const Setup &setup, uint64_t seed) {
  if (auto plain = compile(generateKernel(seed, setup.generator), setup, false, nullptr); !plain)
    consumeError(plain.takeError());
}

} // namespace meld::fuzz
