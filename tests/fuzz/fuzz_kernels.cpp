// meld-fuzz-kernels: random kernels, melded against unmelded, on the software GPU, bit for bit.
//
//   meld-fuzz-kernels --count 2000 [--seed 1] [--cpu gfx90a] [--keep DIR]
//   meld-fuzz-kernels --flatten        nests of loops, flattened against nested
//   meld-fuzz-kernels --delay          loops with a side, delayed against as it was
//   meld-fuzz-kernels --nests          the same, with kernels made of nests (kernel_nests.cpp)
//   meld-fuzz-kernels --against CPU    one kernel's code for two targets: each is executed by what the
//                                      software GPU has for it, and leaves the same memory
//
// Every seed is one kernel (kernel_ast.h). It is compiled twice through the product's own pipeline:
// as it is, and with the passes in; odd seeds meld whatever is legal, however unprofitable. Both
// run on the same inputs. A difference, a compiler failure or a fault is a finding: its seed is
// printed and, with --keep, the IR is written. Exit code 1 when anything was found. A kernel whose
// plain code LLVM does not finish within --limit seconds, or gets wrong by two other compilations
// without our passes, is skipped and counted; one that only the melded code keeps LLVM busy with is
// a finding. One whose melded code the product's verdict would refuse for a fault of LLVM that it
// knows (cost/estimate.h) is counted as refused.
#include "jit/code_object.h"
#include "jit/optimizer.h"
#include "passes/cost/estimate.h"
#include "passes/llvm_fixes/unsigned_division.h"
#include "passes/melder/meld_choice.h"
#include "passes/pipeline.h"
#include "runtime/softgpu/isa/decoder.h"
#include "tests/fuzz/kernel_ir.h"
#include "tests/fuzz/kernel_run.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace meld;
using namespace meld::fuzz;

namespace {

struct Setup {
  FuzzTarget target;
  std::string keep;
  unsigned generator = defaultGenerator;
  bool noEarly = false, noLate = false; ///< narrow a finding down
  std::string flat; ///< the pass that makes rounds of loops; steps and lanes by seed
  bool why = false; ///< print what became of each nest
  std::string passes;
  unsigned meldings = ~0u; ///< only so many of them, to find the one to blame
  unsigned limit = 60;     ///< seconds for one kernel
  bool tiers = false;      ///< interpreted against translated, instead of plain against melded
  FuzzTarget other{""};    ///< of another target against this one's
};

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
  passes::MeldOptions meldOptions;
  meldOptions.force = force;
  meldOptions.early = !setup.noEarly;
  meldOptions.late = !setup.noLate;
  meldOptions.passes = setup.passes;
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
  // What LLVM divides wrongly in the original is nothing to compare with.
  FunctionAnalysisManager unused;
  for (Function &function : *module)
    if (!log && !function.isDeclaration())
      passes::UnsignedDivisionPass().run(function, unused);
  if (ir)
    *ir = irText(*module);
  return generateCode(*module, setup.target, codegen == Codegen::best ? '3' : level,
                      codegen == Codegen::simple);
}

struct Tally {
  uint64_t kernels = 0, melded = 0, regions = 0, findings = 0, skipped = 0, refused = 0;
  uint64_t plainInstructions = 0, meldedInstructions = 0; ///< executed, of the kernels compared
  uint64_t plainVector = 0, meldedVector = 0;             ///< of those on the vector ALU
  uint64_t plainLanes = 0, meldedLanes = 0;               ///< active in these, summed
  uint64_t flat = 0, left = 0;                            ///< loops, with --flatten
  uint64_t moreActive = 0, fewerActive = 0;               ///< kernels whose share of lanes changed
  Tally &operator+=(const Tally &t) {
    kernels += t.kernels, melded += t.melded, regions += t.regions, findings += t.findings;
    skipped += t.skipped, refused += t.refused;
    plainInstructions += t.plainInstructions, meldedInstructions += t.meldedInstructions;
    plainVector += t.plainVector, meldedVector += t.meldedVector;
    plainLanes += t.plainLanes, meldedLanes += t.meldedLanes;
    flat += t.flat, left += t.left;
    moreActive += t.moreActive, fewerActive += t.fewerActive;
    return *this;
  }
};

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
  auto swaps = [&](StringRef object) {
    auto disassembler = passes::Disassembler::create(setup.target.processor());
    auto kernels = jit::readKernels(MemoryBufferRef(object, "fuzz"));
    uint32_t count = 0;
    if (disassembler && kernels)
      for (const auto &kernel : *kernels)
        count += passes::estimate(disassembler->decode(kernel), kernel.resources,
                                  setup.target.processor())
                     .swapsBehindCalls;
    consumeError(disassembler.takeError());
    consumeError(kernels.takeError());
    return count;
  };
  return swaps(melded) > swaps(plain);
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
  auto got = execute(gpu, ast, (*melded)->getBuffer());
  if (!got) {
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
  if (wouldBeRefused(setup, (*plain)->getBuffer(), (*melded)->getBuffer())) {
    ++tally.refused;
    std::fprintf(stderr, "seed %llu: differs, and the verdict on its machine code refuses it\n",
                 static_cast<unsigned long long>(seed));
    return;
  }
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

/// Two code objects of the same kernel on the inputs of `seed`: to see which of several
/// compilations is wrong.
int compareObjects(const Setup &setup, uint64_t seed, const std::vector<std::string> &files) {
  auto gpu = makeGpu(setup.target);
  const KernelAst ast = generateKernel(seed, setup.generator);
  std::optional<Memory> first;
  for (const std::string &file : files) {
    auto bytes = MemoryBuffer::getFile(file);
    if (!bytes || !gpu)
      return 2;
    auto memory = execute(*gpu, ast, (*bytes)->getBuffer());
    if (!memory) {
      std::printf("%s: %s\n", file.c_str(), toString(memory.takeError()).c_str());
      continue;
    }
    if (!first)
      first = *memory;
    std::printf("%s: difference to the first: %s\n", file.c_str(),
                firstDifference(*first, *memory).c_str());
  }
  return 0;
}

/// What a worker tells: first that it starts on a seed, then what came of it.
struct Message {
  uint64_t seed;
  bool done;
  Tally tally;
};
static_assert(sizeof(Message) <= PIPE_BUF, "written as one piece");

/// A worker process: seeds first, first + step, ...; a crash of the compiler, or the time limit of
/// a kernel, ends only the worker. Exit code 0 when it has done all of them.
int runWorker(const Setup &setup, uint64_t first, uint64_t end, uint64_t step, int progressFd) {
  initializeCompiler();
  auto gpu = makeGpu(setup.target);
  if (!gpu)
    return 1;
  for (uint64_t seed = first; seed < end; seed += step) {
    Message message{seed, false, {}};
    (void)!write(progressFd, &message, sizeof message);
    alarm(setup.limit);
    runSeed(*gpu, setup, seed, message.tally);
    alarm(0);
    message.done = true;
    (void)!write(progressFd, &message, sizeof message);
  }
  return 0;
}

bool ranOutOfTime(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM; }

/// Whether LLVM does not finish the kernel as it is, without any pass of ours.
bool plainRunsOutOfTime(const Setup &setup, uint64_t seed) {
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(setup.limit);
    initializeCompiler();
    if (auto plain = compile(generateKernel(seed, setup.generator), setup, false, nullptr); !plain)
      consumeError(plain.takeError());
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return ranOutOfTime(status);
}

/// Runs all seeds in `jobs` worker processes.
class Crew {
public:
  Crew(const Setup &setup, uint64_t first, uint64_t count, unsigned jobs)
      : setup_(setup), end_(first + count), count_(count), jobs_(jobs) {
    for (unsigned j = 0; j < jobs && first + j < end_; ++j)
      start(first + j);
  }

  Tally run() {
    while (!workers_.empty()) {
      std::vector<pollfd> fds;
      for (const Worker &w : workers_)
        fds.push_back({w.fd, POLLIN, 0});
      if (poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR)
        break;
      for (size_t i = fds.size(); i-- > 0;)
        if (fds[i].revents && !read(workers_[i])) {
          const Worker ended = workers_[i];
          workers_.erase(workers_.begin() + static_cast<ptrdiff_t>(i));
          finish(ended);
        }
    }
    return total_;
  }

private:
  struct Worker {
    pid_t pid;
    int fd;
    uint64_t seed; ///< the one it is on
  };

  void start(uint64_t first) {
    int fds[2];
    if (pipe(fds) != 0)
      std::exit(2);
    const pid_t pid = fork();
    if (pid == 0) {
      close(fds[0]);
      const int code = runWorker(setup_, first, end_, jobs_, fds[1]);
      std::fflush(nullptr);
      _exit(code);
    }
    close(fds[1]);
    workers_.push_back({pid, fds[0], first});
  }

  /// False at the end of the worker's messages.
  bool read(Worker &worker) {
    Message message;
    if (::read(worker.fd, &message, sizeof message) != static_cast<ssize_t>(sizeof message))
      return false;
    worker.seed = message.seed;
    if (message.done)
      total_ += message.tally;
    if (message.done && ++tried_ % 64 == 0 && isatty(2))
      std::fprintf(stderr, "\r%llu of %llu", static_cast<unsigned long long>(tried_),
                   static_cast<unsigned long long>(count_));
    return true;
  }

  void finish(const Worker &worker) {
    close(worker.fd);
    int status = 0;
    waitpid(worker.pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      return;
    ++total_.kernels;
    if (!ranOutOfTime(status)) {
      report(setup_, worker.seed, "the worker died (status " + std::to_string(status) + ")",
             total_);
    } else if (plainRunsOutOfTime(setup_, worker.seed)) {
      ++total_.skipped;
      std::fprintf(stderr, "seed %llu: skipped, LLVM does not finish the plain kernel\n",
                   static_cast<unsigned long long>(worker.seed));
    } else {
      report(setup_, worker.seed, "the melded code is not finished in time", total_);
    }
    if (worker.seed + jobs_ < end_)
      start(worker.seed + jobs_);
  }

  const Setup &setup_;
  const uint64_t end_, count_;
  const unsigned jobs_;
  uint64_t tried_ = 0;
  Tally total_;
  std::vector<Worker> workers_;
};

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Random kernels, melded against unmelded on the software GPU, bit for bit."};
  uint64_t count = 2000, seed = 1;
  unsigned jobs = 2;
  Setup setup;
  std::string reportFile;
  app.add_option("--count", count, "Kernels to try")->capture_default_str();
  app.add_option("--seed", seed, "First seed")->capture_default_str();
  app.add_option("--jobs", jobs, "Worker processes")->capture_default_str();
  app.add_option("--cpu", setup.target.cpu,
                 "Target: gfx90a, gfx900, gfx942, gfx950, gfx1030, gfx1030-wave64, gfx1100 or "
                 "gfx1100-wave64")
      ->capture_default_str()
      ->check(checkCpu);
  app.add_option("--generator", setup.generator, "Of kernels: 1 to 5; old findings keep theirs")
      ->capture_default_str()
      ->check(CLI::Range(1u, newestGenerator));
  app.add_option("--limit", setup.limit, "Seconds for one kernel")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_flag("--tiers", setup.tiers,
               "Interpreted against translated, instead of plain against melded");
  app.add_option(
         "--against", setup.other.cpu,
         "Code for this target against the same kernel's for --cpu, instead of plain against "
         "melded")
      ->check(checkCpu);
  app.add_flag_callback(
      "--flatten", [&] { setup.flat = "flatten-loops"; },
      "Only kernels with nests of loops that meld-flatten-loops takes, with steps and lanes "
      "by their seed; prints active lanes of both");
  app.add_flag_callback(
      "--delay", [&] { setup.flat = "delay-iterations"; },
      "The same of loops that meld-delay-iterations takes");
  bool nests = false;
  app.add_flag(
      "--nests", nests,
      "Kernels made of nests of loops: --flatten, or --delay where it is asked for, --generator 5");
  app.add_flag("--why", setup.why, "Print what became of each nest");
  app.add_option("--report", reportFile, "Write a summary as JSON");
  app.add_flag("--no-early", setup.noEarly, "Leave the early pipeline point out");
  app.add_flag("--no-late", setup.noLate, "Leave the late pipeline point out");
  app.add_option("--passes", setup.passes, "As MELD_PASSES");
  app.add_option("--meldings", setup.meldings,
                 "Only so many meldings of a kernel, to find the one to blame");
  app.add_option("--keep", setup.keep, "Folder for the IR of findings");
  std::vector<std::string> objects;
  app.add_option("--objects", objects,
                 "Only run these code objects on the inputs of --seed and compare");
  CLI11_PARSE(app, argc, argv);
  if (nests && setup.flat.empty())
    setup.flat = "flatten-loops";
  if (nests)
    setup.generator = nestGenerator;
  if (!objects.empty())
    return compareObjects(setup, seed, objects);

  const Tally total = Crew(setup, seed, count, jobs).run();
  if (isatty(2))
    std::fprintf(stderr, "\r\033[K");
  std::printf(
      "%llu kernels, %llu with something melded (%llu regions), %llu skipped, %llu refused, "
      "%llu findings\n",
      static_cast<unsigned long long>(total.kernels), static_cast<unsigned long long>(total.melded),
      static_cast<unsigned long long>(total.regions),
      static_cast<unsigned long long>(total.skipped),
      static_cast<unsigned long long>(total.refused),
      static_cast<unsigned long long>(total.findings));
  if (!setup.flat.empty() && total.plainVector && total.meldedVector)
    std::printf(
        "%llu nests flattened, %llu left; more lanes active in %llu kernels, fewer in %llu\n"
        "nested: %llu instructions, %.1f %% of lanes active; flat: %llu, %.1f %%\n",
        static_cast<unsigned long long>(total.flat), static_cast<unsigned long long>(total.left),
        static_cast<unsigned long long>(total.moreActive),
        static_cast<unsigned long long>(total.fewerActive),
        static_cast<unsigned long long>(total.plainInstructions),
        100.0 * double(total.plainLanes) / (64.0 * double(total.plainVector)),
        static_cast<unsigned long long>(total.meldedInstructions),
        100.0 * double(total.meldedLanes) / (64.0 * double(total.meldedVector)));
  if (!reportFile.empty()) {
    nlohmann::json summary{{"cpu", setup.target.cpu},
                           {"generator", setup.generator},
                           {"first seed", seed},
                           {"kernels", total.kernels},
                           {"melded kernels", total.melded},
                           {"melded regions", total.regions},
                           {"instructions plain", total.plainInstructions},
                           {"instructions melded", total.meldedInstructions},
                           {"skipped", total.skipped},
                           {"refused", total.refused},
                           {"findings", total.findings}};
    if (!(std::ofstream(reportFile) << summary.dump(2) << "\n")) {
      std::fprintf(stderr, "cannot write %s\n", reportFile.c_str());
      return 2;
    }
  }
  return total.findings ? 1 : 0;
}
