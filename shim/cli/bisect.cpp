// meld bisect: which kernel of a program, and which melding of it, is to blame.
//
//   all kernels                            wrong?  verification names the kernels; where it finds
//                                          nothing and the program itself fails, halves of the list
//                                          are tried
//   one kernel                             wrong?
//   ... without scalarization              right: scalarization is to blame
//   ... its first 1, 2, 4, 8, 3 meldings   right right wrong ... : the third one
//
// Takes for granted that a program does the same in each run, and that what is wrong with n
// meldings is wrong with more. Terminates: the number of meldings doubles up to a limit, then
// halves. Costs: a run of the program for each question, some with a compile.
#include "shim/cli/verify_run.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

namespace meld::cli {
namespace {

struct BisectOptions {
  std::string device = "auto";
};

constexpr int kUnclear = 3;
/// Nobody has seen a kernel with more.
constexpr unsigned kMostMeldings = 4096;

/// A kernel's name as a regular expression that matches nothing else.
std::string pattern(const std::vector<std::string> &kernels) {
  std::string out;
  for (const std::string &name : kernels) {
    out += out.empty() ? "" : "|";
    for (const char c : name)
      out +=
          std::string(std::string_view(".[]()*+?{}|^$\\").find(c) != std::string_view::npos ? "\\"
                                                                                            : "") +
          c;
  }
  return "^(" + out + ")$";
}

struct Finding {
  std::string kernel;
  std::vector<std::pair<std::string, std::string>> settings; ///< with which it is still wrong
  std::vector<std::string> blamed; ///< "scalarization", or meldings: pass, place, reason
  unsigned melding = 0;            ///< the number, from 1
};

class Bisection {
public:
  Bisection(Environment base, std::vector<std::string> command, std::string folder)
      : base_(std::move(base)), command_(std::move(command)), folder_(std::move(folder)) {}

  Result<std::vector<Finding>> run();
  const std::string &unclear() const { return unclear_; }

private:
  /// Is it wrong with these settings? Its compiles go to a cache of its own.
  bool wrong(const std::vector<std::pair<std::string, std::string>> &settings);
  std::vector<std::string> culpritsByStatus(const std::vector<std::string> &kernels);
  Finding blame(const std::string &kernel);
  std::optional<unsigned> firstWrongMelding(const Finding &finding);
  std::multiset<std::string> meldings(const std::string &cache, const std::string &kernel) const;
  std::string cache(unsigned run) const { return folder_ + "/cache-" + std::to_string(run); }

  const Environment base_;
  const std::vector<std::string> command_;
  const std::string folder_;
  bool byStatus_ = false; ///< the program's exit status tells, not verification
  std::string kernel_;    ///< the one verification is asked about; empty: any
  unsigned runs_ = 0;
  std::string unclear_;
};

bool Bisection::wrong(const std::vector<std::pair<std::string, std::string>> &settings) {
  Environment environment = base_;
  environment.insert(environment.end(), settings.begin(), settings.end());
  environment.emplace_back("MELD_CACHE_DIR", cache(++runs_));
  environment.emplace_back("MELD_CACHE_LAYERS", "user");
  std::string what;
  for (const auto &[name, value] : settings)
    what += " " + name + "=" + value;
  std::fprintf(stderr, "meld bisect: run %u%s: ", runs_, what.c_str());
  bool bad = false;
  if (byStatus_) {
    environment.emplace_back("MELD_COMPILE_BUDGET_MS", "0");
    bad = runAndWait(environment, command_, /*quiet=*/true) != 0;
  } else if (auto report = verifyOnce(environment, command_, folder_, /*quiet=*/true)) {
    const auto it = report->kernels.find({kernel_, ""});
    bad = kernel_.empty() ? report->different()
                          : it != report->kernels.end() && it->second.different != 0;
  }
  std::fprintf(stderr, "%s\n", bad ? "wrong" : "right");
  return bad;
}

/// One kernel with which alone the program fails; all of `kernels` where no single one does it.
std::vector<std::string> Bisection::culpritsByStatus(const std::vector<std::string> &kernels) {
  size_t good = 0, bad = kernels.size(); // lengths of beginnings
  while (bad - good > 1) {
    const size_t middle = good + (bad - good) / 2;
    (wrong({{"MELD_KERNEL_INCLUDE", pattern({kernels.begin(), kernels.begin() + long(middle)})}})
         ? bad
         : good) = middle;
  }
  return {kernels[bad - 1]};
}

std::multiset<std::string> Bisection::meldings(const std::string &cache,
                                               const std::string &kernel) const {
  std::multiset<std::string> found;
  Settings own = settings().settings;
  own.cache = true;
  own.cacheDir = cache;
  own.cacheLayers = "user";
  const auto engine = makeEngine(own);
  auto files = engine->disk() ? engine->disk()->list() : Result<std::vector<CacheFile>>{};
  auto add = [&](const Json &one) {
    auto text = [&](const char *key) {
      const auto it = one.find(key);
      return it != one.end() && it->is_string() ? it->get<std::string>() : std::string();
    };
    if (one.is_object() && one.value("melded", Json(true)) == Json(true))
      found.insert(text("pass") + " (" + text("point") + ") at " + text("location") + ": " +
                   text("reason"));
  };
  for (const CacheFile &file : files ? *files : std::vector<CacheFile>{}) {
    if (file.temporary)
      continue;
    const auto entry = engine->disk()->header(file.name);
    const Json metadata = entry ? Json::parse(entry->metadata, nullptr, false) : Json();
    if (!metadata.is_object())
      continue;
    for (const Json &one : metadata.value("kernels", Json::array()))
      if (one.is_object() && one.value("name", Json()) == Json(kernel))
        for (const Json &decision : one.value("decisions", Json::array()))
          add(decision);
    for (const Json &one : metadata.value("functions", Json::array()))
      add(one);
  }
  return found;
}

/// The least number of meldings that is wrong; nothing when no number is.
std::optional<unsigned> Bisection::firstWrongMelding(const Finding &finding) {
  auto isWrong = [&](unsigned n) {
    auto settings = finding.settings;
    settings.emplace_back("MELD_MELDINGS", std::to_string(n));
    return wrong(settings);
  };
  unsigned good = 0, bad = 1;
  while (!isWrong(bad)) {
    good = bad;
    bad *= 2;
    if (bad > kMostMeldings)
      return std::nullopt;
  }
  while (bad - good > 1) {
    const unsigned middle = good + (bad - good) / 2;
    (isWrong(middle) ? bad : good) = middle;
  }
  return bad;
}

/// The passes that the user has asked for, but none that scalarizes.
std::string withoutScalarization(const Environment &base) {
  std::string passes;
  for (const auto &[name, value] : base)
    if (name == "MELD_PASSES")
      passes = value;
  if (passes.empty())
    if (const char *inherited = std::getenv("MELD_PASSES"))
      passes = inherited;
  return passes == "none" ? passes : passes + (passes.empty() ? "" : ",") + "no-scalarize";
}

Finding Bisection::blame(const std::string &kernel) {
  Finding finding;
  finding.kernel = kernel;
  kernel_ = byStatus_ ? "" : kernel;
  const std::pair<std::string, std::string> alone("MELD_KERNEL_INCLUDE", pattern({kernel}));
  if (!wrong({alone}))
    return finding;
  finding.settings = {alone};
  const std::pair<std::string, std::string> plain("MELD_PASSES", withoutScalarization(base_));
  if (!wrong({alone, plain})) {
    finding.blamed = {"scalarization (MELD_PASSES=" + plain.second + " is right)"};
    return finding;
  }
  finding.settings.push_back(plain);
  const auto number = firstWrongMelding(finding);
  if (!number)
    return finding;
  finding.melding = *number;
  auto settings = finding.settings;
  finding.settings.emplace_back("MELD_MELDINGS", std::to_string(*number));
  // Both once more: what the two compiles did differently is the melding's description.
  wrong(finding.settings);
  auto with = meldings(cache(runs_), kernel);
  if (*number > 1) {
    settings.emplace_back("MELD_MELDINGS", std::to_string(*number - 1));
    wrong(settings);
    for (const std::string &one : meldings(cache(runs_), kernel))
      if (const auto it = with.find(one); it != with.end())
        with.erase(it);
  }
  finding.blamed.assign(with.begin(), with.end());
  return finding;
}

Result<std::vector<Finding>> Bisection::run() {
  Environment first = base_;
  first.emplace_back("MELD_CACHE_DIR", cache(runs_));
  first.emplace_back("MELD_CACHE_LAYERS", "user");
  auto all = MELD_TRY(verifyOnce(std::move(first), command_, folder_, /*quiet=*/true));
  std::vector<std::string> kernels, wrongOnes;
  for (const auto &[name, k] : all.kernels) {
    kernels.push_back(name.kernel);
    if (k.different)
      wrongOnes.push_back(name.kernel);
  }
  if (wrongOnes.empty()) {
    byStatus_ = true;
    if (kernels.empty() || !wrong({}))
      return std::vector<Finding>{};
    auto plain = MELD_TRY(runEnvironment(/*software=*/true, /*plain=*/true));
    if (runAndWait(plain, command_, /*quiet=*/true) != 0) {
      unclear_ = "the program fails without libmeld, too";
      return std::vector<Finding>{};
    }
    wrongOnes = culpritsByStatus(kernels);
  }
  std::vector<Finding> findings;
  for (const std::string &kernel : wrongOnes)
    findings.push_back(blame(kernel));
  return findings;
}

std::string shellQuoted(const std::string &text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string describe(const Finding &finding, const std::vector<std::string> &command) {
  std::string out = "kernel " + demangle(finding.kernel) + "\n";
  if (finding.settings.empty())
    return out + "  right when it alone is melded: it takes others, too\n";
  if (finding.melding)
    out += "  wrong with its first " + std::to_string(finding.melding) + " meldings, right with " +
           std::to_string(finding.melding - 1) + "\n";
  else if (finding.blamed.empty())
    out += "  wrong, but no number of meldings makes it so\n";
  for (const std::string &one : finding.blamed)
    out += "  " + one + "\n";
  out += " ";
  for (const auto &[name, value] : finding.settings)
    out += " " + name + "=" + shellQuoted(value);
  out += " meld verify --";
  for (const std::string &word : command)
    out += " " + (word.find_first_of(" '\"$&|;<>()*?") == word.npos ? word : shellQuoted(word));
  return out + "\n";
}

int bisect(const Cli &cli, const BisectOptions &o, const std::vector<std::string> &command) {
  if (command.empty())
    return complain("bisect: no program given; usage: meld bisect -- ./app [arguments]", kUsage);
  if (!usesSoftwareGpu(o.device))
    return complain("bisect: only the software GPU can verify (--device software)", kUsage);
  auto environment = runEnvironment(/*software=*/true, /*plain=*/false);
  if (!environment)
    return complain("bisect: " + environment.error().message);
  environment->emplace_back("MELD_CACHE", "1");
  auto folder = temporaryFolder("meld-bisect");
  if (!folder)
    return complain("bisect: " + folder.error().message);
  Bisection bisection(*environment, command, *folder);
  auto findings = bisection.run();
  std::error_code ignored;
  std::filesystem::remove_all(*folder, ignored);
  if (!findings)
    return complain("bisect: " + findings.error().message);
  if (!bisection.unclear().empty())
    return complain("bisect: " + bisection.unclear(), kUnclear);
  if (cli.json()) {
    Json out = Json::array();
    for (const Finding &f : *findings)
      out.push_back({{"kernel", f.kernel},
                     {"melding", f.melding},
                     {"blamed", f.blamed},
                     {"settings", Json(f.settings)}});
    print(out);
  } else {
    for (const Finding &f : *findings)
      print(describe(f, command));
    if (findings->empty())
      print(std::string("nothing is wrong\n"));
  }
  return findings->empty() ? kOk : kProblem;
}

} // namespace

void addBisect(Cli &cli) {
  auto o = std::make_shared<BisectOptions>();
  CLI::App *sub = cli.verb(
      "bisect", "Find the kernel and the melding that make a program wrong",
      "  meld bisect -- ./app --size 1024\n"
      "  meld bisect -- ./check.sh          # its exit status tells, where nothing differs\n\n"
      "Exit status: 0 nothing is wrong, 1 found, 2 wrong usage, 3 wrong without libmeld, too.\n");
  sub->add_option("--device", o->device, "Only the software GPU can verify")
      ->check(CLI::IsMember({"auto", "gpu", "software"}))
      ->option_text("auto|software");
  sub->prefix_command();
  sub->callback([&cli, sub, o] {
    cli.action = [&cli, sub, o] {
      return bisect(cli, *o, cli.command.empty() ? sub->remaining() : cli.command);
    };
  });
}

} // namespace meld::cli
