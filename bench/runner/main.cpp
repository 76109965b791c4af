// meld-bench: runs the benchmark programs side by side on the software GPU and prints tables.
#include "bench/runner/demo.h"

#include <CLI/CLI.hpp>

int main(int argc, char **argv) {
  CLI::App app{"Runs the benchmark programs side by side on the software GPU and prints tables."};
  app.require_subcommand(1);
  CLI::App *demo = app.add_subcommand("demo", "Bitonic sort, plain and under libmeld");
  CLI11_PARSE(app, argc, argv);
  const auto paths = meld::bench::Paths::fromExecutable();
  if (demo->parsed())
    return meld::bench::runDemo(paths);
  return 2;
}
