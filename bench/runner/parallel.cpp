#include "bench/runner/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace meld::bench {

void inParallel(size_t count, unsigned jobs, const std::function<void(size_t)> &one) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i; (i = next++) < count;)
      one(i);
  };
  std::vector<std::jthread> others;
  for (size_t j = 1; j < std::min<size_t>(jobs ? jobs : cores, count); ++j)
    others.emplace_back(work);
  work();
}

} // namespace meld::bench
