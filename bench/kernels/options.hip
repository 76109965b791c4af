// Option pricing by Monte Carlo: every thread prices its own contract, one of four payoffs that
// depend on the path differently: European call and put, an Asian average, a barrier that ends it.
#include "harness.h"

#include <cmath>
#include <numeric>

constexpr int paths = 24, steps = 12;

struct Contract {
  float spot, strike, barrier;
  int kind;
  unsigned seed;
};

__device__ inline float draw(unsigned &state) { // a sum of four uniforms is near a normal
  float sum = 0;
  for (int i = 0; i < 4; ++i) {
    state = state * 1664525u + 1013904223u;
    sum += static_cast<float>(state >> 8) * (1.0f / 16777216.0f);
  }
  return (sum - 2) * 1.7320508f;
}

__device__ inline float price(const Contract &c) {
  unsigned state = c.seed;
  float total = 0;
  for (int p = 0; p < paths; ++p) {
    float s = c.spot, payoff = 0;
    if (c.kind == 0) {
      for (int i = 0; i < steps; ++i)
        s *= 1 + 0.002f + 0.03f * draw(state);
      payoff = s > c.strike ? s - c.strike : 0;
    } else if (c.kind == 1) {
      for (int i = 0; i < steps; ++i)
        s *= 1 + 0.002f + 0.03f * draw(state);
      payoff = c.strike > s ? c.strike - s : 0;
    } else if (c.kind == 2) {
      float sum = 0;
      for (int i = 0; i < steps; ++i) {
        s *= 1 + 0.002f + 0.03f * draw(state);
        sum += s;
      }
      const float average = sum / steps;
      payoff = average > c.strike ? average - c.strike : 0;
    } else {
      bool out = false;
      for (int i = 0; i < steps; ++i) {
        s *= 1 + 0.002f + 0.03f * draw(state);
        out |= s > c.barrier;
      }
      payoff = !out && s > c.strike ? s - c.strike : 0;
    }
    total += payoff;
  }
  return total / paths;
}

__global__ void value(const Contract *contracts, float *out, int count) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at < count)
    out[at] = price(contracts[at]);
}

/// The same in double: the whole path first, then what the contract pays for it.
static double reference(const Contract &c) {
  uint32_t state = c.seed;
  double total = 0;
  for (int p = 0; p < paths; ++p) {
    std::vector<double> path;
    for (int i = 0; i < steps; ++i) {
      double normal = -2;
      for (int k = 0; k < 4; ++k) {
        state = state * 1664525u + 1013904223u;
        normal += (state >> 8) / 16777216.0;
      }
      path.push_back((i ? path.back() : c.spot) * (1.002 + 0.03 * std::sqrt(3.0) * normal));
    }
    const double last = path.back(), mean = std::accumulate(path.begin(), path.end(), 0.0) / steps;
    const bool out = *std::max_element(path.begin(), path.end()) > c.barrier;
    const double payoff[4] = {last - c.strike, c.strike - last, mean - c.strike,
                              out ? 0 : last - c.strike};
    total += std::max(0.0, payoff[c.kind]);
  }
  return total / paths;
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {512, 16384, "contracts"});
  bench::Verdicts verdicts("options");
  const unsigned block = o.block ? o.block : 64;
  const int count = static_cast<int>(o.size);
  bench::Random random(o.seed);
  std::vector<Contract> contracts;
  std::vector<float> want;
  for (int i = 0; i < count; ++i) {
    const float spot = 80 + 40 * random.unit();
    contracts.push_back({spot, 80 + 40 * random.unit(), spot * 1.3f,
                         static_cast<int>(random.below(4)), static_cast<unsigned>(random.next())});
    want.push_back(static_cast<float>(reference(contracts.back())));
  }
  bench::DeviceBuffer<Contract> dContracts(contracts);
  bench::DeviceBuffer<float> out(static_cast<size_t>(count));
  value<<<dim3((count + block - 1) / block), dim3(block)>>>(dContracts.get(), out.get(), count);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectNear("contracts=" + std::to_string(count), out.download(), want, 1e-3);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
