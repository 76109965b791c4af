// PageRank by pulling: each row of a sparse matrix (CSR) is a page, its entries the pages that link
// to it. A thread sums several rows. A few pages have hundreds of links, most have one or two, so the
// lanes of a wave wait, row after row, for the one that has the longest.
//
//   pagerank [ROUNDS]  prints PASS when the ranks are those that the host computes
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const hipError_t status = (call);                                                              \
    if (status != hipSuccess) {                                                                    \
      std::fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(status));                          \
      return 3;                                                                                    \
    }                                                                                              \
  } while (0)

constexpr unsigned kPages = 16384, kThreads = 1024, kBlock = 128;
constexpr float kDamping = 0.85f;

__global__ void pull(const unsigned *starts, const unsigned *links, const float *share,
                     const float *rank, float *next) {
  for (unsigned page = blockIdx.x * blockDim.x + threadIdx.x; page < kPages;
       page += gridDim.x * blockDim.x) {
    float sum = 0;
    for (unsigned i = starts[page]; i < starts[page + 1]; ++i)
      sum += share[links[i]] * rank[links[i]];
    next[page] = (1 - kDamping) / kPages + kDamping * sum;
  }
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 100;
  // Numbers of links by a power law: twice as many, a quarter as often; 512 at most.
  std::vector<unsigned> starts{0}, links, out(kPages);
  unsigned state = 7;
  auto random = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
  for (unsigned page = 0; page < kPages; ++page) {
    const double u = std::max(1.0 - random() / 16777216.0, 2.0 / 512);
    for (unsigned k = unsigned(2.0 / u); k > 0; --k) {
      links.push_back(random() % kPages);
      ++out[links.back()];
    }
    starts.push_back(unsigned(links.size()));
  }
  std::vector<float> share(kPages), rank(kPages, 1.0f / kPages), result(kPages);
  for (unsigned page = 0; page < kPages; ++page)
    share[page] = out[page] ? 1.0f / out[page] : 0;

  unsigned *dStarts, *dLinks;
  float *dShare, *dRank, *dNext;
  CHECK(hipMalloc(&dStarts, starts.size() * sizeof(unsigned)));
  CHECK(hipMalloc(&dLinks, links.size() * sizeof(unsigned)));
  CHECK(hipMalloc(&dShare, kPages * sizeof(float)));
  CHECK(hipMalloc(&dRank, kPages * sizeof(float)));
  CHECK(hipMalloc(&dNext, kPages * sizeof(float)));
  CHECK(hipMemcpy(dStarts, starts.data(), starts.size() * sizeof(unsigned), hipMemcpyHostToDevice));
  CHECK(hipMemcpy(dLinks, links.data(), links.size() * sizeof(unsigned), hipMemcpyHostToDevice));
  CHECK(hipMemcpy(dShare, share.data(), kPages * sizeof(float), hipMemcpyHostToDevice));
  CHECK(hipMemcpy(dRank, rank.data(), kPages * sizeof(float), hipMemcpyHostToDevice));
  int settled = 0;
  for (int r = 1; r <= rounds; ++r) {
    pull<<<dim3(kThreads / kBlock), dim3(kBlock)>>>(dStarts, dLinks, dShare, dRank, dNext);
    std::swap(dRank, dNext);
    if (r % 10 && r != rounds)
      continue;
    const std::vector<float> before = result; // every ten rounds: do the ranks still change?
    CHECK(hipMemcpy(result.data(), dRank, kPages * sizeof(float), hipMemcpyDeviceToHost));
    double change = 0;
    for (unsigned page = 0; page < kPages; ++page)
      change += std::fabs(double(result[page]) - before[page]);
    if (change < 1e-7 && !settled)
      settled = r;
  }

  std::vector<double> now(rank.begin(), rank.end()), then(kPages);
  for (int r = 0; r < rounds; ++r) {
    for (unsigned page = 0; page < kPages; ++page) {
      double sum = 0;
      for (unsigned i = starts[page]; i < starts[page + 1]; ++i)
        sum += double(share[links[i]]) * now[links[i]];
      then[page] = (1.0 - kDamping) / kPages + kDamping * sum;
    }
    std::swap(now, then);
  }
  double worst = 0;
  for (unsigned page = 0; page < kPages; ++page)
    worst = std::max(worst, std::fabs(result[page] - now[page]) / now[page]);
  std::printf("pagerank: %d rounds, settled after %d, worst relative difference %.1e: %s\n", rounds,
              settled, worst, worst < 1e-4 ? "PASS" : "FAIL");
  return worst < 1e-4 ? 0 : 1;
}
