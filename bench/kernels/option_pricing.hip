// Option pricing by Monte Carlo, one product a launch: its payoff, the number of steps, barriers,
// dividends and the way in which paths are drawn are told at run time, as by a pricing library. Each
// work-item prices one strike on paths of its own.
//   helped   a European call on 16 steps, no barrier, no dividends, plain paths
//   source   the same, written into the source
//   other    another product at each launch
#include "harness.h"

struct Product {
  int payoff; ///< 0 call, 1 put, 2 average, 3 lookback
  int paths, steps;
  int barrier;           ///< 0 none, 1 ends it above, 2 ends it below
  int dividends;         ///< every so many steps; 0: none
  int antithetic, local; ///< pairs of paths; a volatility that depends on the price
  float drift, volatility, skew, level, dividend, discount;
};

__host__ __device__ inline float normal(unsigned &state) { // a sum of four uniforms is near one
  float sum = 0;
  for (int i = 0; i < 4; ++i) {
    state = state * 1664525u + 1013904223u;
    sum += static_cast<float>(state >> 8) * (1.0f / 16777216.0f);
  }
  return (sum - 2) * 1.7320508f;
}

/// What one path pays; `sign` is -1 for the second of a pair.
__host__ __device__ inline float pathValue(const Product &p, float spot, float strike,
                                           unsigned &state, float sign) {
  float price = spot, sum = 0, highest = spot;
  bool alive = true;
  for (int i = 1; i <= p.steps; ++i) {
    float volatility = p.volatility;
    if (p.local)
      volatility += p.skew * (spot - price) / spot;
    price *= 1 + p.drift + volatility * sign * normal(state);
    if (p.dividends && i % p.dividends == 0)
      price -= p.dividend * price;
    if (p.barrier == 1)
      alive &= price < p.level * spot;
    else if (p.barrier == 2)
      alive &= price > p.level * spot;
    if (p.payoff == 2)
      sum += price;
    if (p.payoff == 3)
      highest = price > highest ? price : highest;
  }
  float gain = price - strike;
  if (p.payoff == 1)
    gain = strike - price;
  else if (p.payoff == 2)
    gain = sum / static_cast<float>(p.steps) - strike;
  else if (p.payoff == 3)
    gain = highest - strike;
  return alive && gain > 0 ? gain : 0;
}

__host__ __device__ inline float priceOf(const Product &p, float spot, float strike,
                                         unsigned seed) {
  float total = 0;
  for (int path = 0; path < p.paths; ++path) {
    unsigned state = seed + 7919u * static_cast<unsigned>(path);
    if (p.antithetic) {
      unsigned again = state;
      total += 0.5f * pathValue(p, spot, strike, again, -1);
      total += 0.5f * pathValue(p, spot, strike, state, 1);
    } else {
      total += pathValue(p, spot, strike, state, 1);
    }
  }
  return p.discount * total / static_cast<float>(p.paths);
}

__host__ __device__ inline Product plainProduct() {
  return {0, 4, 16, 0, 0, 0, 0, 0.002f, 0.03f, 0, 0, 0, 0.97f};
}

template <bool inSource>
__global__ void value(const float *strikes, float *out, int count, float spot, Product product) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at < count)
    out[at] = priceOf(inSource ? plainProduct() : product, spot, strikes[at],
                      static_cast<unsigned>(at) * 2654435761u);
}

static Product productOf(const std::string &pattern, int launch) {
  Product p = plainProduct();
  if (pattern == "other") {
    // No barriers: a price that is rounded otherwise on the host may be on its other side.
    p.payoff = launch % 4;
    p.paths = 2 + launch % 3;
    p.steps = 8 + launch % 7;
    p.dividends = launch % 5;
    p.dividend = 0.001f * static_cast<float>(1 + launch % 6);
    p.antithetic = launch / 2 % 2;
    p.local = launch % 2;
    p.skew = 0.01f * static_cast<float>(launch % 8);
    p.drift = 0.001f * static_cast<float>(1 + launch % 9);
  }
  return p;
}

static int program(int argc, char **argv) {
  const auto o =
      bench::Options::parse(argc, argv, {4096, 106496, "strikes"}, {"helped", "source", "other"});
  bench::Verdicts verdicts("option_pricing");
  const unsigned block = o.block ? o.block : 64;
  const int count = static_cast<int>(o.size);
  static int runs = 0;
  bench::Random random(o.seed);
  std::vector<float> strikes(o.size), want(o.size);
  for (float &strike : strikes)
    strike = 80 + 40 * random.unit();
  bench::DeviceBuffer<float> dStrikes(strikes), out(o.size);
  for (int launch = 0; launch < 4; ++launch) {
    const float spot = 90 + static_cast<float>(runs % 20);
    const Product product = productOf(o.pattern, runs++);
    const auto kernel = o.pattern == "source" ? value<true> : value<false>;
    kernel<<<dim3((count + block - 1) / block), dim3(block)>>>(dStrikes.get(), out.get(), count,
                                                               spot, product);
    HIP_CHECK(hipGetLastError());
    for (size_t i = 0; i < o.size; ++i)
      want[i] = priceOf(product, spot, strikes[i], static_cast<unsigned>(i) * 2654435761u);
  }
  verdicts.expectNear(o.pattern, out.download(), want, 1e-3);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
