// meld-fuzz-kernels: random kernels, melded against unmelded, on the software GPU, bit for bit.
//
//   meld-fuzz-kernels --count 2000 [--seed 1] [--cpu gfx90a] [--keep DIR]
//
// Every seed is one kernel (kernel_ast.h). It is compiled twice through the product's own pipeline:
// as it is, and with the passes in; odd seeds meld whatever is legal, however unprofitable. Both
// run on the same inputs. A difference, a compiler failure or a fault is a finding: its seed is
// printed and, with --keep, the IR is written. Exit code 1 when anything was found.
#include "jit/optimizer.h"
#include "passes/pipeline.h"
#include "tests/fuzz/kernel_ir.h"
#include "tests/fuzz/kernel_run.h"

#include <CLI/CLI.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace meld;
using namespace meld::fuzz;

namespace {

struct Setup {
  FuzzTarget target;
  std::string keep;
  unsigned generator = newestGenerator;
  bool noEarly = false, noLate = false; ///< narrow a finding down
  std::string passes;
};

/// Pipeline, code generation, link. With `log`, melding is in; its decisions go there.
Expected<std::unique_ptr<MemoryBuffer>> compile(const KernelAst &ast, const Setup &setup,
                                                bool force, passes::DecisionLog *log,
                                                char level = '3', std::string *ir = nullptr,
                                                bool simpleCodegen = false) {
  LLVMContext context;
#if LLVM_VERSION_MAJOR < 17
  context.setOpaquePointers(true);
#endif
  const auto options = setup.target.options(level);
  auto module = emitKernel(ast, context, setup.target.cpu);
  passes::MeldOptions meldOptions;
  meldOptions.minProfit = force ? -1e6 : 0;
  meldOptions.early = !setup.noEarly;
  meldOptions.late = !setup.noLate;
  meldOptions.passes = setup.passes;
  if (Error e =
          jit::optimize(*module, options, setup.target.cpu, /*verify=*/true, [&](PassBuilder &pb) {
            if (log)
              passes::registerMeldCallbacks(pb, meldOptions, log);
          }))
    return Expected<std::unique_ptr<MemoryBuffer>>(std::move(e));
  if (ir)
    *ir = irText(*module);
  return generateCode(*module, setup.target, level, simpleCodegen);
}

struct Tally {
  uint64_t kernels = 0, melded = 0, regions = 0, findings = 0;
  uint64_t plainInstructions = 0, meldedInstructions = 0; ///< executed, of the kernels compared
  Tally &operator+=(const Tally &t) {
    kernels += t.kernels, melded += t.melded, regions += t.regions, findings += t.findings;
    plainInstructions += t.plainInstructions, meldedInstructions += t.meldedInstructions;
    return *this;
  }
};

std::string firstDifference(const Memory &a, const Memory &b) {
  for (size_t i = 0; i + 4 <= a.out.size(); i += 4)
    if (std::memcmp(&a.out[i], &b.out[i], 4) != 0)
      return "out: thread " + std::to_string(i / 4 / wordsPerThread) + " word " +
             std::to_string(i / 4 % wordsPerThread);
  for (size_t i = 0; i + 4 <= a.acc.size(); i += 4)
    if (std::memcmp(&a.acc[i], &b.acc[i], 4) != 0)
      return "acc word " + std::to_string(i / 4);
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
        decisions << (d.melded ? "melded " : "kept ") << d.point << " " << d.pass << " "
                  << d.location << ": " << d.reason << " (" << d.alignment << ")\n";
    } else {
      consumeError(object.takeError());
    }
  }
}

void runSeed(softgpu::Gpu &gpu, const Setup &setup, uint64_t seed, Tally &tally) {
  const KernelAst ast = generateKernel(seed, setup.generator);
  ++tally.kernels;
  passes::DecisionLog log;
  auto melded = compile(ast, setup, seed & 1, &log);
  if (!melded)
    return report(setup, seed, "melded compile: " + toString(melded.takeError()), tally);
  if (log.meldedCount() == 0)
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
  if (*want == *got)
    return;
  // A third opinion says who is likely wrong: the melder, or the executor and the code generator.
  std::string opinion = "no third opinion";
  if (auto simple = compile(ast, setup, false, nullptr, '1')) {
    if (auto third = execute(gpu, ast, (*simple)->getBuffer()))
      opinion = *third == *want  ? "-O1 agrees with plain"
                : *third == *got ? "-O1 agrees with melded"
                                 : "-O1 differs from both";
    else
      consumeError(third.takeError());
  } else {
    consumeError(simple.takeError());
  }
  {
    passes::DecisionLog again;
    auto object = compile(ast, setup, seed & 1, &again, '3', nullptr, true);
    auto fourth =
        object ? execute(gpu, ast, (*object)->getBuffer()) : Expected<Memory>(object.takeError());
    opinion += !fourth ? "; melded IR with -O0 code: " + toString(fourth.takeError())
               : *fourth == *want
                   ? "; melded IR with -O0 code is right: suspect code generation or the executor"
               : *fourth == *got ? "; melded IR with -O0 code is equally wrong: suspect the passes"
                                 : "; melded IR with -O0 code differs again";
  }
  report(setup, seed, "memory differs, " + firstDifference(*want, *got) + "; " + opinion, tally);
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

/// A worker process: seeds first, first + step, ...; a crash of the compiler ends only the worker.
Tally runWorker(const Setup &setup, uint64_t first, uint64_t end, uint64_t step, int progressFd) {
  Tally tally;
  initializeCompiler();
  auto gpu = makeGpu(setup.target);
  if (!gpu) {
    tally.findings = 1;
    return tally;
  }
  for (uint64_t seed = first; seed < end; seed += step) {
    (void)!write(progressFd, &seed, sizeof seed);
    runSeed(*gpu, setup, seed, tally);
  }
  return tally;
}

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
  app.add_option("--cpu", setup.target.cpu, "Target")
      ->capture_default_str()
      ->check(CLI::IsMember({"gfx90a", "gfx900"}));
  app.add_option("--generator", setup.generator, "Of kernels: 1 or 2; old findings keep theirs")
      ->capture_default_str()
      ->check(CLI::Range(1u, newestGenerator));
  app.add_option("--report", reportFile, "Write a summary as JSON");
  app.add_flag("--no-early", setup.noEarly, "Leave the early pipeline point out");
  app.add_flag("--no-late", setup.noLate, "Leave the late pipeline point out");
  app.add_option("--passes", setup.passes, "As MELD_PASSES");
  app.add_option("--keep", setup.keep, "Folder for the IR of findings");
  std::vector<std::string> objects;
  app.add_option("--objects", objects,
                 "Only run these code objects on the inputs of --seed and compare");
  CLI11_PARSE(app, argc, argv);
  if (!objects.empty())
    return compareObjects(setup, seed, objects);

  // One pipe a worker: eight-byte seeds as progress, then the tally. A worker that dies leaves the
  // seed it was at.
  struct Worker {
    pid_t pid;
    int fd;
    uint64_t next;
  };
  Tally total;
  const uint64_t end = seed + count;
  auto start = [&](uint64_t first) {
    int fds[2], tally[2];
    if (pipe(fds) != 0 || pipe(tally) != 0)
      std::exit(2);
    const pid_t pid = fork();
    if (pid == 0) {
      close(fds[0]);
      Tally t = runWorker(setup, first, end, jobs, fds[1]);
      const uint64_t marker = ~uint64_t{0};
      (void)!write(fds[1], &marker, sizeof marker);
      (void)!write(fds[1], &t, sizeof t);
      std::fflush(nullptr);
      _exit(0);
    }
    close(fds[1]);
    close(tally[0]);
    close(tally[1]);
    return Worker{pid, fds[0], first};
  };
  std::vector<Worker> workers;
  for (unsigned j = 0; j < jobs; ++j)
    workers.push_back(start(seed + j));
  // Read the workers one after the other: pipes hold a whole run's progress only for short runs, so
  // poll all.
  std::vector<bool> done(workers.size(), false);
  size_t open = workers.size();
  uint64_t tried = 0;
  while (open) {
    for (size_t w = 0; w < workers.size(); ++w) {
      if (done[w])
        continue;
      uint64_t value = 0;
      const ssize_t n = read(workers[w].fd, &value, sizeof value);
      if (n == static_cast<ssize_t>(sizeof value) && value != ~uint64_t{0}) {
        workers[w].next = value;
        if (++tried % 64 == 0 && isatty(2))
          std::fprintf(stderr, "\r%llu of %llu", static_cast<unsigned long long>(tried),
                       static_cast<unsigned long long>(count));
        continue;
      }
      Tally t;
      const bool finished = n == static_cast<ssize_t>(sizeof value) &&
                            read(workers[w].fd, &t, sizeof t) == static_cast<ssize_t>(sizeof t);
      close(workers[w].fd);
      int status = 0;
      waitpid(workers[w].pid, &status, 0);
      if (finished) {
        total += t;
        done[w] = true;
        --open;
        continue;
      }
      report(setup, workers[w].next, "the worker died (status " + std::to_string(status) + ")",
             total);
      if (workers[w].next + jobs < end) {
        workers[w] = start(workers[w].next + jobs);
      } else {
        done[w] = true;
        --open;
      }
    }
  }
  if (isatty(2))
    std::fprintf(stderr, "\r\033[K");
  std::printf("%llu kernels, %llu with something melded (%llu regions), %llu findings\n",
              static_cast<unsigned long long>(total.kernels),
              static_cast<unsigned long long>(total.melded),
              static_cast<unsigned long long>(total.regions),
              static_cast<unsigned long long>(total.findings));
  if (!reportFile.empty()) {
    nlohmann::json summary{{"cpu", setup.target.cpu},
                           {"generator", setup.generator},
                           {"first seed", seed},
                           {"kernels", total.kernels},
                           {"melded kernels", total.melded},
                           {"melded regions", total.regions},
                           {"instructions plain", total.plainInstructions},
                           {"instructions melded", total.meldedInstructions},
                           {"findings", total.findings}};
    if (!(std::ofstream(reportFile) << summary.dump(2) << "\n")) {
      std::fprintf(stderr, "cannot write %s\n", reportFile.c_str());
      return 2;
    }
  }
  return total.findings ? 1 : 0;
}
