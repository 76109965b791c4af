#include "runtime/profile/marks.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace meld::profile {

namespace {

using Json = nlohmann::json;

constexpr unsigned kFirstMark = 16;

Count countOf(const MarkCounts &counts, unsigned mark) {
  const auto it = counts.find(mark);
  return it == counts.end() ? Count() : it->second;
}

Function functionOf(const Json &j, const MarkCounts &counts) {
  Function function;
  function.name = j.at("name");
  function.cfg = j.at("cfg");
  for (const Json &mark : j.at("blocks"))
    function.blocks.push_back(countOf(counts, mark));
  for (const Json &one : j.at("branches")) {
    Branch branch;
    branch.block = one.at("block");
    branch.exitsLoop = one.at("exitsLoop");
    branch.executions = function.blocks.at(branch.block).executions;
    for (const Json &edge : one.at("edges"))
      branch.edges.push_back({edge.at(0), countOf(counts, edge.at(1))});
    function.branches.push_back(std::move(branch));
  }
  for (const Json &one : j.at("loops")) {
    Loop loop;
    loop.header = one.at("header");
    loop.depth = one.at("depth");
    Count entries;
    for (const Json &mark : one.at("entries"))
      entries.add(countOf(counts, mark));
    const Count rounds = function.blocks.at(loop.header);
    loop.entries = entries.executions;
    loop.laneEntries = entries.lanes;
    loop.rounds = rounds.executions;
    loop.laneRounds = rounds.lanes;
    function.loops.push_back(loop);
  }
  return function;
}

} // namespace

std::optional<unsigned> markOf(std::string_view text) {
  constexpr std::string_view name = "s_nop ";
  if (!text.starts_with(name))
    return std::nullopt;
  text.remove_prefix(name.size());
  const int base = text.starts_with("0x") ? 16 : 10;
  text.remove_prefix(base == 16 ? 2 : 0);
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size() || number < kFirstMark)
    return std::nullopt;
  return number;
}

std::vector<Function> functionsOf(std::string_view marks, const MarkCounts &counts,
                                  const std::string &kernel, uint64_t waves) {
  for (const auto &[mark, count] : counts)
    if (count.lanes < count.executions)
      return {};
  try {
    std::vector<Function> functions;
    const Json json = Json::parse(marks);
    bool whole = false;
    for (const Json &one : json.at("functions")) {
      Function function = functionOf(one, counts);
      const bool own = function.name == kernel;
      whole |= own && !function.blocks.empty() && function.blocks[0].executions == waves;
      if (own || !function.branches.empty())
        functions.push_back(std::move(function));
    }
    return whole ? functions : std::vector<Function>();
  } catch (const std::exception &) { // it is the compiler's own, and yet
    return {};
  }
}

} // namespace meld::profile
