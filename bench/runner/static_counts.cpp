#include "bench/runner/static_counts.h"

#include "bench/runner/each_case.h"
#include "bench/runner/shell.h"
#include "bench/runner/table.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <map>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace meld::bench {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// "void f<64u>(int*)" -> "f<64u>"; a template's arguments may hold parentheses.
std::string withoutSignature(const std::string &demangled) {
  size_t begin = 0, end = demangled.size();
  int depth = 0;
  for (size_t i = 0; i < demangled.size(); ++i) {
    const char c = demangled[i];
    depth += (c == '<') - (c == '>');
    if (depth == 0 && c == ' ')
      begin = i + 1;
    if (depth == 0 && c == '(') {
      end = i;
      break;
    }
  }
  return demangled.substr(begin, end - begin);
}

StaticCode codeOf(const json &from) {
  return {from.value("instructions", 0u), from.value("vgprs", 0u), from.value("wavesPerSimd", 0u),
          from.value("estimatedCycles", 0.0)};
}

/// libmeld's report on one program's kernels; null when it cannot be compiled.
json reportOn(const Paths &paths, const std::string &program, const std::string &processor) {
  const fs::path base = paths.scratch / ("static." + std::to_string(getpid()));
  const fs::path object = base.string() + ".co", melded = base.string() + ".melded.co";
  fs::remove(object);
  outputOf(std::string(MELD_BENCH_HIPCC) + " --offload-arch=" + processor +
           " -O3 -std=c++17 -Wno-unused-result -Xclang -fembed-bitcode=all --cuda-device-only "
           "--no-gpu-bundle-output -c " +
           quoted(std::string(MELD_BENCH_SOURCES) + "/" + program + ".hip") + " -o " +
           quoted(object.string()));
  const std::string output =
      outputOf("env MELD_COMPILE_BUDGET_MS=0 " + quoted(paths.meld.string()) + " compile " +
               quoted(object.string()) + " -o " + quoted(melded.string()) + " --format json");
  fs::remove(object);
  fs::remove(melded);
  const json data = json::parse(output, nullptr, /*allow_exceptions=*/false);
  if (data.is_discarded() || data.value("verdict", "failed") == "failed" || !data["gate"].empty() ||
      !data["metadata"].contains("kernels"))
    return nullptr;
  return data["metadata"]["kernels"];
}

/// A kernel of a program, the cases that launch it, and their block sizes.
struct Wanted {
  std::string benchmark, kernel;
  std::vector<unsigned> blocks;
};

std::string argumentOf(const Case &which, const std::string &name) {
  const auto &a = which.arguments;
  const auto at = std::find(a.begin(), a.end(), name);
  return at == a.end() || at + 1 == a.end() ? std::string() : *(at + 1);
}

/// By program, in the order of the cases.
std::vector<std::pair<std::string, std::vector<Wanted>>> wantedKernels(const StaticOptions &o) {
  std::vector<std::pair<std::string, std::vector<Wanted>>> programs;
  for (const Case &which : casesCalled(o.only)) {
    const bool paper = which.set == Set::synthetic || which.set == Set::melding;
    if (!paper && !o.every)
      continue;
    auto program = std::find_if(programs.begin(), programs.end(),
                                [&](const auto &p) { return p.first == which.program; });
    if (program == programs.end())
      program = programs.insert(programs.end(), {which.program, {}});
    if (!paper)
      continue;
    const std::string kernel = kernelOf(which), block = argumentOf(which, "--block");
    auto &list = program->second;
    auto wanted =
        std::find_if(list.begin(), list.end(), [&](const Wanted &w) { return w.kernel == kernel; });
    if (wanted == list.end())
      wanted = list.insert(list.end(), {which.label.substr(0, which.label.rfind(' ')), kernel, {}});
    wanted->blocks.push_back(static_cast<unsigned>(std::stoul(block)));
  }
  for (auto &[name, list] : programs) {
    for (Wanted &w : list)
      std::sort(w.blocks.begin(), w.blocks.end());
    std::stable_sort(list.begin(), list.end(), [](const Wanted &a, const Wanted &b) {
      return a.benchmark == b.benchmark && a.blocks.front() < b.blocks.front();
    });
  }
  return programs;
}

StaticRow rowOf(const json &kernel, const std::string &benchmark, const std::string &processor) {
  StaticRow row;
  row.benchmark = benchmark;
  row.processor = processor;
  row.kernel = shortKernelName(kernel.value("name", ""));
  row.melded = kernel.value("melded", false);
  row.before = codeOf(kernel.value("before", json::object()));
  row.after = row.melded ? codeOf(kernel.value("after", json::object())) : row.before;
  return row;
}

/// False when the program cannot be compiled or lacks one of the kernels.
bool addProgram(const Paths &paths, const std::string &program, const std::vector<Wanted> &wanted,
                const std::string &processor, bool every, std::vector<StaticRow> &rows) {
  const json report = reportOn(paths, program, processor);
  if (report.is_null()) {
    std::fprintf(stderr, "meld-bench: %s could not be compiled for %s\n", program.c_str(),
                 processor.c_str());
    return false;
  }
  bool ok = true;
  std::map<std::string, const json *> byName;
  for (const json &kernel : report)
    byName[shortKernelName(kernel.value("name", ""))] = &kernel;
  for (const Wanted &w : wanted) {
    const auto found = byName.find(w.kernel);
    if (found == byName.end()) {
      std::fprintf(stderr, "meld-bench: %s has no kernel %s\n", program.c_str(), w.kernel.c_str());
      ok = false;
      continue;
    }
    StaticRow row = rowOf(*found->second, w.benchmark, processor);
    for (unsigned block : w.blocks)
      row.blocks += (row.blocks.empty() ? "" : " ") + std::to_string(block);
    if (program == "bitonic")
      row.target = bitonicTarget(w.blocks.front());
    rows.push_back(std::move(row));
    byName.erase(found);
  }
  if (every)
    for (const auto &[name, kernel] : byName)
      rows.push_back(rowOf(*kernel, program, processor));
  return ok;
}

json toJson(const StaticCode &code) {
  return {{"instructions", code.instructions},
          {"vgprs", code.vgprs},
          {"wavesPerSimd", code.waves},
          {"estimatedCycles", code.cycles}};
}

json toJson(const std::vector<StaticRow> &rows) {
  json out = json::array();
  for (const StaticRow &r : rows)
    out.push_back({{"benchmark", r.benchmark},
                   {"blocks", r.blocks},
                   {"processor", r.processor},
                   {"kernel", r.kernel},
                   {"melded", r.melded},
                   {"before", toJson(r.before)},
                   {"after", toJson(r.after)},
                   {"target", r.target ? json(*r.target) : json(nullptr)},
                   {"problem", r.problem()}});
  return out;
}

std::string tableOf(const std::vector<StaticRow> &rows) {
  Table table({"benchmark", "block", "GPU", "kernel", "instr.", "melded", "target", "w. cycles",
               "melded", "VGPRs", "melded", "waves", "melded", "result"});
  for (const StaticRow &r : rows) {
    const StaticCode &a = r.before, &b = r.after;
    const std::string problem = r.problem();
    table.add({r.benchmark, r.blocks, r.processor, r.kernel, std::to_string(a.instructions),
               std::to_string(b.instructions), r.target ? std::to_string(*r.target) : "",
               decimal(a.cycles, 0), decimal(b.cycles, 0), std::to_string(a.vgprs),
               std::to_string(b.vgprs), std::to_string(a.waves), std::to_string(b.waves),
               !problem.empty() ? problem
               : r.melded       ? "melded"
                                : "untouched"});
  }
  return table.text();
}

} // namespace

std::string shortKernelName(const std::string &name) {
  int status = 0;
  char *text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  const std::string out = status == 0 && text ? withoutSignature(text) : name;
  std::free(text);
  return out;
}

std::string StaticRow::problem() const {
  if (target && after.instructions > *target)
    return "ABOVE TARGET";
  if (after.cycles > before.cycles)
    return "MORE CYCLES";
  if (after.waves < before.waves)
    return "FEWER WAVES";
  return "";
}

std::string kernelOf(const Case &which) {
  const std::string block = argumentOf(which, "--block");
  if (which.program == "synthetic") { // SB3-R: synthetic<3, true>
    const std::string kind = argumentOf(which, "--pattern");
    return "synthetic<" + kind.substr(2, 1) + ", " + (kind.size() > 3 ? "true" : "false") + ">";
  }
  if (which.program == "bitonic")
    return "bitonicSort<" + block + "u>";
  if (which.program == "pcm")
    return "partitionMerge<" + block + "u>";
  if (which.program == "nqueens")
    return "nqueens<" + block + "u>";
  if (which.program == "srad")
    return "srad<" + block + "u>";
  if (which.program == "lud") // two threads per element of a tile's edge
    return "perimeter<" + std::to_string(std::stoul(block) / 2) + "u>";
  if (which.program == "merge_sort")
    return "mergePass";
  if (which.program == "dct")
    return "quantisePlane";
  return "";
}

std::optional<unsigned> bitonicTarget(unsigned block) {
  switch (block) {
  case 32:
    return 300;
  case 64:
    return 405;
  case 128:
    return 530;
  case 256:
    return 670;
  default:
    return std::nullopt;
  }
}

int runStatic(const Paths &paths, const StaticOptions &options) {
  fs::create_directories(paths.scratch);
  std::vector<StaticRow> rows;
  bool ok = true;
  for (const auto &[program, wanted] : wantedKernels(options))
    for (const std::string &processor : options.processors) {
      tellProgress(program + ", " + processor);
      ok = addProgram(paths, program, wanted, processor, options.every, rows) && ok;
    }
  tellProgress("");
  if (rows.empty()) {
    const std::string why = casesCalled(options.only).empty() ? unknownName(options.only)
                            : ok ? "none of these is of the melding paper; --all takes them, too"
                                 : "nothing was compiled";
    std::fprintf(stderr, "meld-bench: %s\n", why.c_str());
    return 1;
  }
  size_t melded = 0, problems = 0;
  for (const StaticRow &row : rows) {
    melded += row.melded;
    problems += !row.problem().empty();
  }
  if (options.json)
    std::printf("%s\n", toJson(rows).dump(2).c_str());
  else
    std::printf("%s\n%zu kernels, %zu melded; %zu above a target, with more weighted cycles or "
                "with fewer waves than before\n",
                tableOf(rows).c_str(), rows.size(), melded, problems);
  return ok && problems == 0 ? 0 : 1;
}

} // namespace meld::bench
