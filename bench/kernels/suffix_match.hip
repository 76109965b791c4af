// MUM-like matching, after the MUMmerGPU kernel of the branch-fusion report: every thread walks a
// suffix trie with its query, one character per step; a missing edge means a jump over the suffix
// link. Queries leave the walk at different times and take different arms at every step.
#include "harness.h"

#include <string>

constexpr int letters = 4, minimum = 5;

struct Node {
  int child[letters]; ///< 0: none
  int link;           ///< the node of this string without its first character
  int depth;
};

/// Matches of at least `minimum` characters that end at each position: how many, and the longest.
__global__ void match(const Node *trie, const unsigned char *queries, const int *starts, int *out,
                      int count) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at >= count)
    return;
  int node = 0, found = 0, longest = 0;
  for (int i = starts[at]; i < starts[at + 1];) { // divergent: loop
    const int next = trie[node].child[queries[i]];
    if (next) { // divergent: branch
      node = next;
      ++i;
      const int depth = trie[node].depth;
      if (depth >= minimum) {
        ++found;
        if (depth > longest)
          longest = depth;
      }
    } else if (node) {
      node = trie[node].link;
    } else {
      ++i;
    }
  }
  out[2 * at] = found;
  out[2 * at + 1] = longest;
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {512, 8192, "queries"});
  bench::Verdicts verdicts("suffix_match");
  const unsigned block = o.block ? o.block : 128;
  const int count = static_cast<int>(o.size), deepest = 24;
  bench::Random random(o.seed);
  std::string text;
  for (int i = 0; i < 220; ++i)
    text += static_cast<char>(random.below(letters));

  // The trie of all substrings of up to `deepest` characters.
  std::vector<Node> trie(1, Node{});
  const auto find = [&](const std::string &s) {
    int node = 0;
    for (char c : s)
      node = trie[static_cast<size_t>(node)].child[static_cast<int>(c)];
    return node;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    int node = 0;
    for (size_t j = i; j < text.size() && j < i + deepest; ++j) {
      int next = trie[static_cast<size_t>(node)].child[static_cast<int>(text[j])];
      if (!next) {
        next = static_cast<int>(trie.size());
        trie[static_cast<size_t>(node)].child[static_cast<int>(text[j])] = next;
        trie.push_back(Node{{}, 0, static_cast<int>(j - i + 1)});
      }
      node = next;
    }
  }
  for (size_t i = 0; i < text.size(); ++i)
    for (size_t length = 1; length <= deepest && i + length <= text.size(); ++length)
      trie[static_cast<size_t>(find(text.substr(i, length)))].link =
          find(text.substr(i + 1, length - 1));

  std::vector<unsigned char> queries;
  std::vector<int> starts{0}, want;
  for (int q = 0; q < count; ++q) {
    std::string query;
    for (unsigned left = 10 + random.below(50); left;) { // pieces of the text with errors between
      const unsigned from = random.below(200), take = 1 + random.below(20);
      for (unsigned i = 0; i < take && left && from + i < text.size(); ++i, --left)
        query += text[from + i];
      if (left && random.below(2)) {
        query += static_cast<char>(random.below(letters));
        --left;
      }
    }
    queries.insert(queries.end(), query.begin(), query.end());
    starts.push_back(static_cast<int>(queries.size()));
    // The longest suffix of the read part that occurs in the text, looked up in the text itself.
    int found = 0, longest = 0;
    std::string current;
    for (char c : query) {
      current += c;
      while (!current.empty() && (current.size() > static_cast<size_t>(deepest) ||
                                  text.find(current) == std::string::npos))
        current.erase(0, 1);
      const int length = static_cast<int>(current.size());
      if (length >= minimum) {
        ++found;
        longest = std::max(longest, length);
      }
    }
    want.insert(want.end(), {found, longest});
  }
  bench::DeviceBuffer<Node> dTrie(trie);
  bench::DeviceBuffer<unsigned char> dQueries(queries);
  bench::DeviceBuffer<int> dStarts(starts), out(want.size());
  match<<<dim3((count + block - 1) / block), dim3(block)>>>(dTrie.get(), dQueries.get(),
                                                            dStarts.get(), out.get(), count);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectEqual("queries=" + std::to_string(count), out.download(), want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
