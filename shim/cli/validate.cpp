// meld validate: the timing model against a real GPU. The benchmark programs and what runs them are
// not installed: this finds meld-bench beside this program, in a build tree, and becomes it.
#include "shim/cli/cli.h"

#include "runtime/engine/identity.h"

#include <cerrno>
#include <unistd.h>

namespace meld::cli {
namespace {

struct ValidateOptions {
  bool hardware = false, quick = false, all = false;
  std::vector<std::string> compare;
  std::string device, only, output, model;
  unsigned rounds = 0;
};

std::vector<std::string> argumentsOf(const ValidateOptions &o, bool json) {
  std::vector<std::string> arguments = {"hardware"};
  const auto flag = [&](bool set, const char *name) {
    if (set)
      arguments.emplace_back(name);
  };
  const auto value = [&](const std::string &text, const char *name) {
    if (!text.empty())
      arguments.insert(arguments.end(), {name, text});
  };
  flag(o.hardware, "--hardware");
  flag(o.quick, "--quick");
  flag(o.all, "--all");
  flag(json, "--json");
  value(o.device, "--device");
  value(o.only, "--only");
  value(o.output, "--output");
  value(o.model, "--model");
  value(o.rounds ? std::to_string(o.rounds) : "", "--rounds");
  for (const std::string &file : o.compare)
    value(file, "--compare");
  return arguments;
}

int validate(const Cli &cli, const ValidateOptions &o) {
  if (o.hardware == !o.compare.empty())
    return complain("validate: either --hardware or --compare FILE", kUsage);
  char self[4096];
  const ssize_t length = ::readlink("/proc/self/exe", self, sizeof(self) - 1);
  const std::string folder = folderOf(std::string(self, length > 0 ? length : 0));
  std::string program = folder + "/meld-bench";
  if (::access(program.c_str(), X_OK) != 0 || ::access((folder + "/hip/micro").c_str(), X_OK) != 0)
    return complain("validate: the benchmark programs are not beside this program. They are not "
                    "part of an installation; in a copy of libmeld's sources\n"
                    "  ./dev bench hardware\n"
                    "builds and measures (docs/validate-on-hardware.md)");
  std::vector<std::string> arguments = argumentsOf(o, cli.json());
  std::vector<char *> argv = {program.data()};
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  return complain("validate: " + errnoText(program, errno));
}

} // namespace

void addValidate(Cli &cli) {
  CLI::App *sub = cli.verb(
      "validate", "Measure a GPU, and set the timing model against what was measured",
      "  meld validate --hardware -o mine.json\n"
      "  meld validate --hardware --quick --only BIT\n"
      "  meld validate --hardware --device software    # a rehearsal\n"
      "  meld validate --compare mine.json theirs.json\n\n"
      "An interrupted measurement goes on where it was when it is started again with the same "
      "options.\n");
  auto o = std::make_shared<ValidateOptions>();
  sub->add_flag("--hardware", o->hardware,
                "Run the microbenchmarks and every benchmark program, original and melded in "
                "turns, and write one JSON file (docs/validate-on-hardware.md says what is in it)");
  sub->add_option("--compare", o->compare,
                  "Print model against silicon, kernel by kernel, for each file")
      ->option_text("FILE...");
  sub->add_option("--device", o->device, "Where to measure (default: gpu)")
      ->check(CLI::IsMember({"gpu", "software"}))
      ->option_text("gpu|software");
  sub->add_option("--rounds", o->rounds, "Of each program (default: 20)")
      ->check(CLI::Range(1u, 1000u))
      ->option_text("N");
  sub->add_option("--only", o->only, "Benchmarks, programs or a set with this in the name")
      ->option_text("NAME");
  sub->add_flag("--quick", o->quick, "Small problems, three rounds");
  sub->add_flag("--all", o->all, "All block sizes of each program");
  sub->add_option("-o,--output", o->output,
                  "The file to write (default: libmeld-hardware.json); with --compare: keep the "
                  "model's part in it")
      ->option_text("FILE");
  sub->add_option("--model", o->model,
                  "With --compare: a file of the software GPU instead of running the model now")
      ->option_text("FILE");
  sub->callback([&cli, o] { cli.action = [&cli, o] { return validate(cli, *o); }; });
}

} // namespace meld::cli
