#include "passes/melder/pair_choice.h"
#include <algorithm>

namespace meld::passes {

static constexpr int unlimited = 1 << 28;

PairChoice::Index PairChoice::addNode() {
  out_.emplace_back();
  return Index(out_.size() - 3); // behind source and sink
}

void PairChoice::addEdge(unsigned from, unsigned to, int capacity) {
  out_[from].push_back(unsigned(edges_.size()));
  edges_.push_back({to, capacity});
  out_[to].push_back(unsigned(edges_.size()));
  edges_.push_back({from, 0});
}

PairChoice::Index PairChoice::addPair(int gain) {
  const Index pair = addNode();
  if (gain > 0)
    addEdge(source, pair + 2, gain);
  else if (gain < 0)
    addEdge(pair + 2, sink, -gain);
  return pair;
}

PairChoice::Index PairChoice::addFixedPair() { return addPair(unlimited); }

PairChoice::Index PairChoice::addSelect(int cost) {
  const Index select = addNode();
  addEdge(select + 2, sink, cost);
  return select;
}

PairChoice::Index PairChoice::addSelectUnless(Index producer, int cost) {
  const Index select = addNode();
  addEdge(select + 2, producer + 2, cost);
  return select;
}

void PairChoice::reads(Index pair, Index select) { addEdge(pair + 2, select + 2, unlimited); }

void PairChoice::alwaysReads(Index select) { addEdge(source, select + 2, unlimited); }

bool PairChoice::findLevels() {
  level_.assign(out_.size(), -1);
  level_[source] = 0;
  std::vector<unsigned> queue{source};
  for (size_t at = 0; at < queue.size(); ++at)
    for (unsigned edge : out_[queue[at]])
      if (const Edge &e = edges_[edge]; e.room > 0 && level_[e.to] < 0) {
        level_[e.to] = level_[queue[at]] + 1;
        queue.push_back(e.to);
      }
  return level_[sink] >= 0;
}

// Fills all shortest ways; a stack of edges instead of recursion, since ways are as long as chains
// of instructions.
void PairChoice::augment() {
  std::vector<size_t> next(out_.size(), 0);
  std::vector<unsigned> way;
  for (;;) {
    const unsigned node = way.empty() ? source : edges_[way.back()].to;
    if (node == sink) {
      int flow = unlimited;
      for (unsigned edge : way)
        flow = std::min(flow, edges_[edge].room);
      size_t full = way.size();
      for (size_t i = way.size(); i-- > 0;) {
        edges_[way[i]].room -= flow;
        edges_[way[i] ^ 1].room += flow;
        if (edges_[way[i]].room == 0)
          full = i;
      }
      way.resize(full);
      continue;
    }
    size_t &at = next[node];
    while (at < out_[node].size()) {
      const Edge &e = edges_[out_[node][at]];
      if (e.room > 0 && level_[e.to] == level_[node] + 1)
        break;
      ++at;
    }
    if (at < out_[node].size()) {
      way.push_back(out_[node][at]);
      continue;
    }
    if (way.empty())
      return;
    way.pop_back();
    ++next[way.empty() ? source : edges_[way.back()].to];
  }
}

// Kept is what cannot reach the sink any more: the largest of the best choices.
std::vector<bool> PairChoice::solve() {
  while (findLevels())
    augment();
  std::vector<bool> kept(out_.size(), true);
  std::vector<unsigned> queue{sink};
  kept[sink] = false;
  for (size_t at = 0; at < queue.size(); ++at)
    for (unsigned edge : out_[queue[at]])
      if (const unsigned from = edges_[edge].to; kept[from] && edges_[edge ^ 1].room > 0) {
        kept[from] = false;
        queue.push_back(from);
      }
  kept.erase(kept.begin(), kept.begin() + 2);
  return kept;
}

} // namespace meld::passes
