#include "bench/runner/scalar.h"

#include "bench/runner/each_case.h"
#include "bench/runner/geomean.h"
#include "bench/runner/table.h"
#include "bench/runner/traced.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>

namespace meld::bench {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// One code of one benchmark: what it did, instruction by instruction.
struct Profiled {
  Measurement measured;
  std::vector<TracedKernel> kernels;
};

Profiled profiled(Paths paths, const fs::path &folder, const Case &which,
                  Configuration configuration, bool timing) {
  paths.programs = folder;
  fs::create_directories(paths.scratch);
  const fs::path file = paths.scratch / ("profile." + std::to_string(getpid()) + ".json");
  fs::remove(file);
  configuration.environment["MELD_GPU_PROFILE"] = file.string();
  if (!configuration.plain) {
    configuration.environment["MELD_CACHE_DIR"] = (paths.scratch / "bench-cache").string();
    configuration.environment.emplace("MELD_COMPILE_BUDGET_MS", "0");
  }
  Profiled p{measure(paths, which.program, which.arguments, configuration, timing), {}};
  p.kernels = tracedKernels(file, folder / which.program);
  fs::remove(file);
  if (!p.measured.pass)
    std::fprintf(stderr, "\n%s in %s: exit code %d\n%s\n", which.label.c_str(),
                 folder.filename().c_str(), p.measured.exitCode, p.measured.output.c_str());
  return p;
}

struct Totals {
  Measurement measured;
  Accesses accesses;
};

Totals totalsOf(Profiled p) {
  Totals t{std::move(p.measured), {}};
  for (const TracedKernel &kernel : p.kernels) {
    const Accesses a = accessesOf(kernel.code);
    t.accesses.vectorReads += a.vectorReads;
    t.accesses.vectorWrites += a.vectorWrites;
    t.accesses.scalarReads += a.scalarReads;
    t.accesses.scalarWrites += a.scalarWrites;
    t.accesses.addresses += a.addresses;
  }
  return t;
}

struct ScalarRow {
  Case which;
  UniformShares shares;
  UniformShares kept; ///< with meld-converged-loops
  Totals hidden, clang, ours;
};

std::string percent(double part, double whole) {
  return whole > 0 ? decimal(100 * part / whole, 1) : "-";
}

double quotient(double a, double b) { return b > 0 ? a / b : 0; }

std::string sharesTable(const std::vector<ScalarRow> &rows) {
  Table table({"benchmark", "executed", "traced %", "clang %", "LLVM %", "ours %", "oracle %",
               "operands %", "LLVM / oracle", "ours / oracle", "ours / operands", "contradicted"});
  Geomean clang, llvm, ours, ofOperands;
  for (const ScalarRow &row : rows) {
    const UniformShares &s = row.shares;
    table.add({row.which.label, grouped(static_cast<uint64_t>(s.executed)),
               percent(s.traced, s.executed), percent(s.scalar, s.executed),
               percent(s.llvm, s.executed), percent(s.ours, s.executed),
               percent(s.oracle, s.executed), percent(s.operands, s.executed),
               decimal(quotient(s.llvm, s.oracle), 2), decimal(quotient(s.ours, s.oracle), 2),
               decimal(quotient(s.ours, s.operands), 2), std::to_string(s.contradictions.size())});
    clang.add(quotient(s.scalar, s.oracle));
    llvm.add(quotient(s.llvm, s.oracle));
    ours.add(quotient(s.ours, s.oracle));
    ofOperands.add(quotient(s.ours, s.operands));
  }
  return table.text() + "\ngeometric means, of the oracle: executed as scalar by clang " +
         decimal(clang.value(), 3) + ", LLVM's analysis " + decimal(llvm.value(), 3) + ", ours " +
         decimal(ours.value(), 3) + "; ours of the oracle by operands alone " +
         decimal(ofOperands.value(), 3) + "\n";
}

/// How much runs with all threads of a wave together, and how much of that is proven.
std::string convergenceTable(const std::vector<ScalarRow> &rows) {
  Table table({"benchmark", "converged %", "proven %", "proven / converged", "kept: converged %",
               "proven %", "proven / converged"});
  Geomean proven, kept;
  for (const ScalarRow &row : rows) {
    std::vector<std::string> cells{row.which.label};
    for (const UniformShares *s : {&row.shares, &row.kept}) {
      cells.push_back(percent(s->converged, s->executed));
      cells.push_back(percent(s->convergent, s->executed));
      cells.push_back(decimal(quotient(s->convergent, s->converged), 2));
    }
    table.add(cells);
    proven.add(quotient(row.shares.convergent, row.shares.converged));
    kept.add(quotient(row.kept.convergent, row.kept.converged));
  }
  return table.text() + "\ngeometric means, of what ran converged: proven " +
         decimal(proven.value(), 3) + ", with converged loops " + decimal(kept.value(), 3) +
         " (Lee et al., warps of 4: 0.68 by the compiler, 1.00 with dynamic convergence in "
         "hardware; asked 0.85)\n";
}

/// In percent of what was executed; the means are over the benchmarks.
std::string gapTable(const std::vector<ScalarRow> &rows) {
  std::vector<std::string> head{"benchmark", "ours %", "oracle %", "gap %"};
  for (unsigned k = 0; k < gapKinds; ++k)
    head.push_back(name(static_cast<GapKind>(k)));
  head.insert(head.end(), {"(floating)", "ours / knowable"});
  Table table(head);
  Gap sum;
  double ours = 0, oracle = 0;
  Geomean required, operands, knowable;
  const auto line = [&](const std::string &label, double oursShare, double oracleShare,
                        const Gap &gap, double whole, const std::string &last) {
    std::vector<std::string> cells{label, percent(oursShare, whole), percent(oracleShare, whole),
                                   percent(gap.sum(), whole)};
    for (double part : gap.parts)
      cells.push_back(percent(part, whole));
    cells.push_back(percent(gap.floating, whole));
    cells.push_back(last);
    table.add(cells);
  };
  for (const ScalarRow &row : rows) {
    const UniformShares &s = row.shares;
    const double could = s.oracle - s.gap.unknowable();
    line(row.which.label, s.ours, s.oracle, s.gap, s.executed, decimal(quotient(s.ours, could), 2));
    required.add(quotient(s.ours, s.oracle));
    operands.add(quotient(s.ours, s.operands));
    knowable.add(quotient(s.ours, could));
    for (unsigned k = 0; k < gapKinds; ++k)
      sum.parts[k] += quotient(s.gap.parts[k], s.executed);
    sum.floating += quotient(s.gap.floating, s.executed);
    ours += quotient(s.ours, s.executed);
    oracle += quotient(s.oracle, s.executed);
  }
  line("mean", ours, oracle, sum, static_cast<double>(rows.size()), "");
  return table.text() + "\nours / oracle, geometric mean: " + decimal(required.value(), 3) +
         " (the number that is asked for)\nours / oracle by operands alone (Lee et al.): " +
         decimal(operands.value(), 3) +
         "\nours / knowable, geometric mean: " + decimal(knowable.value(), 3) +
         " (an oracle without one lane and data, which no analysis of the program can see; not the "
         "number that is asked for)\n";
}

/// The workgroups of the dispatches of `kernel`, when they have one shape.
std::string shapeOf(const Measurement &m, const std::string &kernel) {
  std::string shape;
  for (const Dispatch &d : m.dispatches) {
    if (d.kernel != kernel)
      continue;
    if (!shape.empty() && shape != d.workgroup)
      return "";
    shape = d.workgroup;
  }
  return shape;
}

std::vector<std::string> costCells(const std::string &label, const char *code, const Totals &t) {
  const Measurement &m = t.measured;
  const auto million = [](double n) { return decimal(n / 1e6, 3); };
  return {label,
          code,
          grouped(m.counter("SQ_INSTS_VALU")),
          grouped(m.counter("SQ_INSTS_SALU")),
          grouped(m.counter("SQ_INSTS_SMEM")),
          grouped(m.counter("SQ_INSTS_VMEM_RD") + m.counter("SQ_INSTS_VMEM_WR") +
                  m.counter("SQ_INSTS_FLAT")),
          million(t.accesses.vectorReads),
          million(t.accesses.vectorWrites),
          million(t.accesses.scalarReads),
          million(t.accesses.scalarWrites),
          million(t.accesses.addresses),
          std::to_string(m.vgprs),
          std::to_string(m.occupancy),
          grouped(m.cycles)};
}

std::string costTable(const std::vector<ScalarRow> &rows) {
  Table table({"benchmark", "code", "VALU", "SALU", "SMEM", "VMEM", "Mv reads", "Mv writes",
               "Ms reads", "Ms writes", "M addr.", "VGPRs", "occ.", "cycles"});
  for (const ScalarRow &row : rows) {
    table.add(costCells(row.which.label, "hidden", row.hidden));
    table.add(costCells("", "clang -O3", row.clang));
    table.add(costCells("", "scalarize", row.ours));
  }
  return table.text();
}

/// What remains of `before` in `after`, as geometric means over the benchmarks.
std::string savings(const std::vector<ScalarRow> &rows, const char *name,
                    const Totals ScalarRow::*before, const Totals ScalarRow::*after) {
  Geomean instructions, valu, registers, addresses, cycles;
  unsigned fewerValu = 0, worse = 0;
  for (const ScalarRow &row : rows) {
    const Totals &a = row.*before, &b = row.*after;
    const auto share = [&](const char *counter) {
      return quotient(static_cast<double>(b.measured.counter(counter)),
                      static_cast<double>(a.measured.counter(counter)));
    };
    instructions.add(share("SQ_INSTS"));
    valu.add(share("SQ_INSTS_VALU"));
    fewerValu += b.measured.counter("SQ_INSTS_VALU") < a.measured.counter("SQ_INSTS_VALU");
    registers.add(quotient(b.accesses.registers(), a.accesses.registers()));
    addresses.add(quotient(b.accesses.addresses, a.accesses.addresses));
    const double time =
        quotient(static_cast<double>(b.measured.cycles), static_cast<double>(a.measured.cycles));
    cycles.add(time);
    worse += time > 1.01;
  }
  const auto change = [](const Geomean &g) {
    const double percent = 100 * (g.value() - 1);
    return (percent < -0.05  ? "-"
            : percent > 0.05 ? "+"
                             : "") +
           decimal(std::abs(percent), 1) + " %";
  };
  return std::string(name) + ": instructions " + change(instructions) + ", vector ALU " +
         change(valu) + ", register accesses " + change(registers) + ", addresses " +
         change(addresses) + ", cycles " + change(cycles) + "; fewer vector instructions in " +
         std::to_string(fewerValu) + " of " + std::to_string(rows.size()) +
         ", more than 1 % slower in " + std::to_string(worse) + "\n";
}

json toJson(const std::vector<ScalarRow> &rows) {
  json out = json::array();
  for (const ScalarRow &row : rows) {
    const UniformShares &s = row.shares;
    json one = {{"benchmark", row.which.label},
                {"executed", s.executed},
                {"traced", s.traced},
                {"convergent", s.convergent},
                {"converged", s.converged},
                {"kept",
                 {{"executed", row.kept.executed},
                  {"convergent", row.kept.convergent},
                  {"converged", row.kept.converged}}},
                {"clang", s.scalar},
                {"llvm", s.llvm},
                {"ours", s.ours},
                {"oracle", s.oracle},
                {"operands", s.operands},
                {"contradictions", s.contradictions}};
    for (const auto &[name, t] : {std::pair("hidden", &row.hidden), std::pair("clang", &row.clang),
                                  std::pair("scalarize", &row.ours)})
      one["codes"][name] = {{"pass", t->measured.pass},
                            {"counters", t->measured.counters},
                            {"cycles", t->measured.cycles},
                            {"vgprs", t->measured.vgprs},
                            {"occupancy", t->measured.occupancy},
                            {"vectorReads", t->accesses.vectorReads},
                            {"vectorWrites", t->accesses.vectorWrites},
                            {"scalarReads", t->accesses.scalarReads},
                            {"scalarWrites", t->accesses.scalarWrites},
                            {"addresses", t->accesses.addresses}};
    out.push_back(std::move(one));
  }
  return out;
}

} // namespace

int runScalar(const Paths &paths, const ScalarOptions &options) {
  const fs::path bin = paths.programs.parent_path();
  const fs::path lines = bin / "hip-lines", together = bin / "hip-together",
                 hidden = bin / "hip-hidden";
  if (!fs::exists(lines) || !fs::exists(together) || !fs::exists(hidden)) {
    std::fprintf(stderr, "meld-bench: the traced programs are not built (target "
                         "bench_scalar_kernels); ./dev bench scalar builds them\n");
    return 1;
  }
  const Configuration plain{"original", true, {}};
  std::vector<ScalarRow> rows;
  bool ok = true;
  for (const Case &which : casesCalled(options.only)) {
    const bool named = which.label == options.only; // then other block sizes, too
    if (!which.quick && !named)
      continue;
    tellProgress(which.label);
    ScalarRow row{which, {}, {}, {}, {}, {}};
    const auto shares = [&](const fs::path &folder) -> std::optional<UniformShares> {
      const Profiled traced = profiled(paths, folder, which, plain, false);
      const auto claims = claimsOf(folder / (which.program + ".json"));
      if (claims.empty() || traced.kernels.empty()) {
        std::fprintf(stderr, "\n%s: no claims or no profile\n", which.label.c_str());
        return std::nullopt;
      }
      UniformShares sum;
      for (const TracedKernel &kernel : traced.kernels)
        sum.add(sharesOf(kernel.code, claims, shapeOf(traced.measured, kernel.name)));
      ok = ok && traced.measured.pass && sum.contradictions.empty();
      for (const std::string &text : sum.contradictions)
        std::fprintf(stderr, "\n%s: our analysis says uniform, the run does not: %s\n",
                     which.label.c_str(), text.c_str());
      return sum;
    };
    const auto own = shares(lines), kept = options.gap ? own : shares(together);
    if (!own || !kept) {
      ok = false;
      continue;
    }
    row.shares = *own;
    row.kept = *kept;
    if (options.gap) {
      rows.push_back(std::move(row));
      continue;
    }
    row.hidden = totalsOf(profiled(paths, hidden, which, plain, true));
    row.clang = totalsOf(profiled(paths, paths.programs, which, plain, true));
    row.ours = totalsOf(profiled(paths, paths.programs, which, scalarization(), true));
    ok = ok && row.hidden.measured.pass && row.clang.measured.pass && row.ours.measured.pass;
    rows.push_back(std::move(row));
  }
  tellProgress("");
  if (rows.empty()) {
    std::fprintf(stderr, "meld-bench: %s\n", unknownName(options.only).c_str());
    return 1;
  }
  if (options.gap) {
    std::printf("%s", gapTable(rows).c_str());
    return ok ? 0 : 1;
  }
  if (options.json) {
    std::printf("%s\n", toJson(rows).dump(1).c_str());
    return ok ? 0 : 1;
  }
  std::printf("Executed instructions that all threads of a wave run together; kept: with "
              "meld-converged-loops\n\n%s\n",
              convergenceTable(rows).c_str());
  std::printf("Executed instructions that are the same in all threads of a wave (code of clang "
              "-O3)\n\n%s\n",
              sharesTable(rows).c_str());
  std::printf("%s\n", costTable(rows).c_str());
  std::printf(
      "Changes, as geometric means (Lee et al., warps of 32: instructions -29 %%, register "
      "accesses -31 %%, addresses -47 %%):\n%s%s%s",
      savings(rows, "clang -O3 against hidden", &ScalarRow::hidden, &ScalarRow::clang).c_str(),
      savings(rows, "scalarize against hidden", &ScalarRow::hidden, &ScalarRow::ours).c_str(),
      savings(rows, "scalarize against clang -O3", &ScalarRow::clang, &ScalarRow::ours).c_str());
  if (!ok)
    std::printf("FAILED: see standard error\n");
  return ok ? 0 : 1;
}

} // namespace meld::bench
