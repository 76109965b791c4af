#include "runtime/profile/sampled_marks.h"

#include <nlohmann/json.hpp>

namespace meld::profile {

namespace {

using Json = nlohmann::json;
using Copies = std::map<unsigned, std::vector<SampledCopy>>; // by mark

Copies copiesOf(const Json &runs, const SamplesByOffset &samples) {
  Copies copies;
  for (const Json &run : runs) {
    SampledCopy copy;
    copy.issued = run.at(2);
    for (auto at = samples.lower_bound(run.at(0).get<uint64_t>()),
              end = samples.lower_bound(run.at(1).get<uint64_t>());
         at != end; ++at)
      copy.samples.add(at->second);
    for (const Json &mark : run.at(3))
      copies[mark].push_back(copy);
  }
  return copies;
}

class Reader {
public:
  Reader(const Copies &copies, bool rated) : copies_(copies), rated_(rated) {}

  SampledFunction function(const Json &j) const {
    SampledFunction function;
    function.name = j.at("name");
    function.cfg = j.at("cfg");
    for (const Json &mark : j.at("blocks"))
      function.blocks.push_back(of({mark}));
    for (const Json &one : j.at("branches")) {
      SampledBranch branch{one.at("block"), {}, one.at("exitsLoop")};
      for (const Json &edge : one.at("edges"))
        branch.edges.push_back({edge.at(0), of({edge.at(1)})});
      function.blocks.at(branch.block); // throws where there is none
      function.branches.push_back(std::move(branch));
    }
    for (const Json &one : j.at("loops")) {
      SampledLoop loop{one.at("header"), one.at("depth"), of(one.at("entries"))};
      function.blocks.at(loop.header);
      function.loops.push_back(std::move(loop));
    }
    return function;
  }

private:
  Sampled of(const std::vector<unsigned> &marks) const {
    std::vector<SampledCopy> all;
    for (const unsigned mark : marks)
      if (const auto it = copies_.find(mark); it != copies_.end())
        all.insert(all.end(), it->second.begin(), it->second.end());
    return sampledOf(all, rated_);
  }

  const Copies &copies_;
  bool rated_;
};

} // namespace

std::vector<SampledFunction> sampledFunctionsOf(std::string_view marks,
                                                const SamplesByOffset &samples, bool issuedOnly,
                                                const std::string &kernel) {
  try {
    const Json json = Json::parse(marks);
    const Json &runs = json.at("runs");
    if (runs.empty())
      return {};
    const Copies copies = copiesOf(runs, samples);
    std::vector<SampledFunction> functions;
    bool whole = false;
    for (const Json &one : json.at("functions")) {
      SampledFunction function = Reader(copies, issuedOnly).function(one);
      whole |= function.name == kernel;
      if (function.name == kernel || !function.branches.empty())
        functions.push_back(std::move(function));
    }
    return whole ? functions : std::vector<SampledFunction>();
  } catch (const std::exception &) { // it is the compiler's own, and yet
    return {};
  }
}

} // namespace meld::profile
