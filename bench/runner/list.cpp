#include "bench/runner/list.h"

#include "bench/runner/specialise.h"
#include "bench/runner/table.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace meld::bench {

namespace {

struct Listed {
  std::string label, set, program;
  std::vector<std::string> arguments;

  std::string commandLine() const {
    std::string line = program;
    for (const std::string &argument : arguments)
      line += " " + argument;
    return line;
  }
};

std::vector<Listed> listed(const ListOptions &options) {
  std::vector<Listed> all;
  for (const Case &which : casesCalled(options.only)) {
    Listed one{which.label, nameOf(which.set), which.program, which.arguments};
    one.arguments.insert(one.arguments.end(), {"--size", problemOf(which, options.size).size});
    all.push_back(std::move(one));
  }
  const std::string size = options.size == "full" ? "large" : options.size;
  for (const std::string &program : specialisedPrograms())
    for (const char *pattern : {"helped", "other"})
      if (options.only.empty() || program.find(options.only) != std::string::npos)
        all.push_back({program + " " + pattern,
                       "specialise",
                       program,
                       {"--pattern", pattern, "--size", size}});
  return all;
}

} // namespace

int runList(const ListOptions &options) {
  const std::vector<Listed> all = listed(options);
  if (all.empty()) {
    std::fprintf(stderr, "%s\n", unknownName(options.only).c_str());
    return 1;
  }
  if (options.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const Listed &one : all)
      list.push_back({{"benchmark", one.label},
                      {"set", one.set},
                      {"program", one.program},
                      {"arguments", one.arguments}});
    std::printf("%s\n", list.dump(1).c_str());
    return 0;
  }
  Table table({"benchmark", "set", "program and arguments"});
  for (const Listed &one : all)
    table.add({one.label, one.set, one.commandLine()});
  std::printf("%s", table.text().c_str());
  return 0;
}

} // namespace meld::bench
