#include "runtime/profile/profile.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace meld::profile {

namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kLanes = 64;
constexpr const char *kHostTrap = "host_trap", *kStochastic = "stochastic"; // as rocprofv3 has them

// Thrown through nlohmann's own errors, so that one place catches both.
struct Malformed : std::runtime_error {
  using runtime_error::runtime_error;
};
struct OtherVersion : std::runtime_error {
  using runtime_error::runtime_error;
};

// get<uint64_t>() would take -1 and 1.5 for numbers of ours.
uint64_t numberOf(const Json &j) {
  if (!j.is_number_unsigned())
    throw Malformed("a count that is no natural number");
  return j.get<uint64_t>();
}

uint32_t blockOf(const Json &j, size_t blocks) {
  const uint64_t number = numberOf(j);
  if (number >= blocks)
    throw Malformed("a block that is not there");
  return uint32_t(number);
}

Count countOf(const Json &executions, const Json &lanes) {
  const Count count{numberOf(executions), numberOf(lanes)};
  if (count.lanes < count.executions ||
      count.lanes / kLanes + (count.lanes % kLanes != 0) > count.executions)
    throw Malformed("lanes that do not fit to executions");
  return count;
}

const Json &arrayOf(const Json &j) {
  if (!j.is_array())
    throw Malformed("no list where one has to be");
  return j;
}

Function functionOf(const Json &j) {
  Function f;
  f.name = j.at("name");
  f.cfg = j.at("cfg");
  for (const Json &one : arrayOf(j.at("blocks")))
    f.blocks.push_back(countOf(one.at(0), one.at(1)));
  for (const Json &one : arrayOf(j.at("branches"))) {
    Branch branch;
    branch.block = blockOf(one.at("block"), f.blocks.size());
    branch.exitsLoop = one.value("exitsLoop", false);
    branch.executions = f.blocks[branch.block].executions;
    for (const Json &edge : arrayOf(one.at("edges"))) {
      branch.edges.push_back(
          {blockOf(edge.at(0), f.blocks.size()), countOf(edge.at(1), edge.at(2))});
      if (branch.edges.back().count.executions > branch.executions)
        throw Malformed("an edge that is taken more often than its block runs");
    }
    f.branches.push_back(std::move(branch));
  }
  for (const Json &one : arrayOf(j.at("loops"))) {
    Loop loop{blockOf(one.at("header"), f.blocks.size()),
              unsigned(numberOf(one.at("depth"))),
              numberOf(one.at("entries")),
              numberOf(one.at("rounds")),
              numberOf(one.at("laneEntries")),
              numberOf(one.at("laneRounds"))};
    f.loops.push_back(loop);
  }
  return f;
}

/// From the element `at` on.
Sampled samplesOf(const Json &list, size_t at) {
  Sampled sampled;
  sampled.all = {numberOf(list.at(at)), numberOf(list.at(at + 1))};
  sampled.meanLanes = {list.at(at + 2).get<double>(), list.at(at + 3).get<double>()};
  if (list.size() > at + 4) {
    sampled.rate = list.at(at + 4).get<double>();
    sampled.step = list.at(at + 5).get<double>();
  }
  const Between &mean = sampled.meanLanes;
  if (sampled.all.lanes < sampled.all.samples ||
      sampled.all.lanes / kLanes + (sampled.all.lanes % kLanes != 0) > sampled.all.samples ||
      !(mean.low >= 1 && mean.low <= mean.high && mean.high <= kLanes))
    throw Malformed("lanes that do not fit to samples");
  if (!(sampled.rate.value_or(0) >= 0 && sampled.step >= 0))
    throw Malformed("a negative rate");
  return sampled;
}

Json toJson(const Sampled &sampled, Json list = Json::array()) {
  for (const uint64_t count : {sampled.all.samples, sampled.all.lanes})
    list.push_back(count);
  for (const double lanes : {sampled.meanLanes.low, sampled.meanLanes.high})
    list.push_back(lanes);
  if (sampled.rate) {
    list.push_back(*sampled.rate);
    list.push_back(sampled.step);
  }
  return list;
}

SampledFunction sampledFunctionOf(const Json &j) {
  SampledFunction f;
  f.name = j.at("name");
  f.cfg = j.at("cfg");
  for (const Json &one : arrayOf(j.at("blocks")))
    f.blocks.push_back(samplesOf(arrayOf(one), 0));
  for (const Json &one : arrayOf(j.at("branches"))) {
    SampledBranch branch{
        blockOf(one.at("block"), f.blocks.size()), {}, one.value("exitsLoop", false)};
    for (const Json &edge : arrayOf(one.at("edges")))
      branch.edges.push_back({blockOf(arrayOf(edge).at(0), f.blocks.size()), samplesOf(edge, 1)});
    f.branches.push_back(std::move(branch));
  }
  for (const Json &one : arrayOf(j.at("loops")))
    f.loops.push_back({blockOf(one.at("header"), f.blocks.size()),
                       unsigned(numberOf(one.at("depth"))),
                       samplesOf(arrayOf(one.at("entries")), 0)});
  return f;
}

Json toJson(const SampledFunction &f) {
  Json blocks = Json::array(), branches = Json::array(), loops = Json::array();
  for (const Sampled &block : f.blocks)
    blocks.push_back(toJson(block));
  for (const SampledBranch &branch : f.branches) {
    Json edges = Json::array();
    for (const SampledEdge &edge : branch.edges)
      edges.push_back(toJson(edge.samples, Json::array({edge.to})));
    Json one{{"block", branch.block}, {"edges", std::move(edges)}};
    if (branch.exitsLoop)
      one["exitsLoop"] = true;
    if (const auto both = bothAtMost(f, branch)) // for people
      one["bothAtMost"] = *both;
    branches.push_back(std::move(one));
  }
  for (const SampledLoop &loop : f.loops) {
    Json one{{"header", loop.header}, {"depth", loop.depth}, {"entries", toJson(loop.entries)}};
    if (const auto trips = tripsOf(f, loop))
      one["trips"] = *trips;
    loops.push_back(std::move(one));
  }
  return {{"name", f.name},
          {"cfg", f.cfg},
          {"blocks", std::move(blocks)},
          {"branches", std::move(branches)},
          {"loops", std::move(loops)}};
}

Json toJson(const Function &f) {
  Json blocks = Json::array(), branches = Json::array(), loops = Json::array();
  for (const Count &block : f.blocks)
    blocks.push_back({block.executions, block.lanes});
  for (const Branch &branch : f.branches) {
    Json edges = Json::array();
    for (const Edge &edge : branch.edges)
      edges.push_back({edge.to, edge.count.executions, edge.count.lanes});
    Json one{{"block", branch.block}, {"edges", std::move(edges)}};
    if (branch.exitsLoop)
      one["exitsLoop"] = true;
    if (branch.knowsBoth()) { // for people; the edges say it, too
      one["both"] = branch.both();
      one["onlyOne"] = branch.onlyOne();
    }
    branches.push_back(std::move(one));
  }
  for (const Loop &loop : f.loops)
    loops.push_back({{"header", loop.header},
                     {"depth", loop.depth},
                     {"entries", loop.entries},
                     {"rounds", loop.rounds},
                     {"laneEntries", loop.laneEntries},
                     {"laneRounds", loop.laneRounds},
                     {"meanTrips", loop.laneMean()},
                     {"spread", loop.spread()}});
  return {{"name", f.name},
          {"cfg", f.cfg},
          {"blocks", std::move(blocks)},
          {"branches", std::move(branches)},
          {"loops", std::move(loops)}};
}

SampledKernel sampledOf(const Json &j) {
  SampledKernel sampled;
  const std::string method = j.at("method");
  if (method != kHostTrap && method != kStochastic)
    throw Malformed("samples of a method that is not known: " + method);
  sampled.method = method == kHostTrap ? SampleMethod::hostTrap : SampleMethod::stochastic;
  sampled.samples = numberOf(j.at("samples"));
  for (const Json &function : arrayOf(j.at("functions")))
    sampled.functions.push_back(sampledFunctionOf(function));
  return sampled;
}

Json toJson(const SampledKernel &sampled) {
  Json functions = Json::array();
  for (const SampledFunction &function : sampled.functions)
    functions.push_back(toJson(function));
  return {{"method", sampled.method == SampleMethod::hostTrap ? kHostTrap : kStochastic},
          {"samples", sampled.samples},
          {"functions", std::move(functions)}};
}

Object objectOf(const Json &j) {
  Object object;
  object.hash = j.at("hash");
  object.isa = j.at("isa");
  for (const Json &one : arrayOf(j.at("kernels"))) {
    Kernel kernel;
    kernel.name = one.at("name");
    kernel.launches = numberOf(one.at("launches"));
    kernel.waves = numberOf(one.at("waves"));
    kernel.wavesPerSimd = one.at("wavesPerSimd").get<double>();
    if (!(kernel.wavesPerSimd >= 0))
      throw Malformed("a negative number of waves");
    if (const auto functions = one.find("functions"); functions != one.end())
      for (const Json &function : arrayOf(*functions))
        kernel.functions.push_back(functionOf(function));
    if (const auto sampled = one.find("sampled"); sampled != one.end())
      kernel.sampled = sampledOf(*sampled);
    object.kernels.push_back(std::move(kernel));
  }
  return object;
}

Json toJson(const Object &object) {
  Json kernels = Json::array();
  for (const Kernel &kernel : object.kernels) {
    Json one{{"name", kernel.name},
             {"launches", kernel.launches},
             {"waves", kernel.waves},
             {"wavesPerSimd", kernel.wavesPerSimd}};
    for (const Function &function : kernel.functions)
      one["functions"].push_back(toJson(function));
    if (kernel.sampled)
      one["sampled"] = toJson(*kernel.sampled);
    kernels.push_back(std::move(one));
  }
  return {{"hash", object.hash}, {"isa", object.isa}, {"kernels", std::move(kernels)}};
}

std::string dump(const Json &j, int indent) {
  return j.dump(indent, ' ', false, Json::error_handler_t::replace);
}

template <class Read> auto reading(Read &&read) -> Result<decltype(read())> {
  try {
    return read();
  } catch (const OtherVersion &error) {
    return fail(ErrorCode::unsupported, error.what());
  } catch (const std::exception &error) {
    return fail(ErrorCode::badInput, std::string("not a profile: ") + error.what());
  }
}

} // namespace

void Count::add(const Count &other) {
  executions += other.executions;
  lanes += other.lanes;
}

uint64_t Branch::both() const {
  if (!knowsBoth())
    return 0;
  if (bothAtMost)
    return uint64_t(std::ceil(*bothAtMost * double(executions)));
  const uint64_t sides = edges[0].count.executions + edges[1].count.executions;
  return sides > executions ? sides - executions : 0;
}

const Kernel *Object::find(std::string_view kernel) const {
  const auto it = std::ranges::find(kernels, kernel, &Kernel::name);
  return it == kernels.end() ? nullptr : &*it;
}

const Object *Profile::find(std::string_view hash) const {
  const auto it = std::ranges::find(objects, hash, &Object::hash);
  return it == objects.end() ? nullptr : &*it;
}

Result<Profile> parseProfile(std::string_view text) {
  return reading([&] {
    const Json j = Json::parse(text);
    if (const uint64_t format = numberOf(j.at("meldprof"));
        format != kFormat && format != kSampledFormat)
      throw OtherVersion("a profile of version " + std::to_string(format) + ", read are versions " +
                         std::to_string(kFormat) + " and " + std::to_string(kSampledFormat));
    Profile profile;
    profile.tool = j.value("tool", "");
    for (const Json &one : arrayOf(j.at("objects")))
      profile.objects.push_back(objectOf(one));
    return profile;
  });
}

std::string profileText(const Profile &profile) {
  Json objects = Json::array();
  for (const Object &object : profile.objects)
    objects.push_back(toJson(object));
  const bool sampled = std::ranges::any_of(profile.objects, [](const Object &object) {
    return std::ranges::any_of(object.kernels,
                               [](const Kernel &kernel) { return kernel.sampled.has_value(); });
  });
  return dump({{"meldprof", sampled ? kSampledFormat : kFormat},
               {"tool", profile.tool},
               {"objects", std::move(objects)}},
              1) +
         "\n";
}

Result<Object> parseObject(std::string_view text) {
  return reading([&] { return objectOf(Json::parse(text)); });
}

std::string objectText(const Object &object) { return dump(toJson(object), -1); }

} // namespace meld::profile
