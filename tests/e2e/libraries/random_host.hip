// rocRAND and hipRAND from the host: every generator, reproducible by its seed, moments of every
// distribution; the quasi-random generator fills its strata evenly.
#include "check.h"
#include <cmath>
#include <hiprand/hiprand.h>
#include <rocrand/rocrand.h>

#define RAND(call)                                                                                 \
  do {                                                                                             \
    const int status_ = int(call);                                                                 \
    if (status_ != 0) {                                                                            \
      std::printf("%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, status_);                      \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

struct Moments {
  double mean = 0, deviation = 0;
};
template <typename T> Moments moments(const std::vector<T> &values) {
  Moments m;
  for (T value : values)
    m.mean += double(value);
  m.mean /= double(values.size());
  for (T value : values)
    m.deviation += (double(value) - m.mean) * (double(value) - m.mean);
  m.deviation = std::sqrt(m.deviation / double(values.size()));
  return m;
}

/// Six standard errors of the mean: a right generator fails once in a billion.
template <typename T>
void expectMoments(const char *what, const std::vector<T> &values, double mean, double deviation) {
  const Moments m = moments(values);
  const double bound = 6 * deviation / std::sqrt(double(values.size()));
  if (std::fabs(m.mean - mean) > bound || std::fabs(m.deviation - deviation) > 0.05 * deviation) {
    std::printf("%s: mean %g (%g), deviation %g (%g)\n", what, m.mean, mean, m.deviation,
                deviation);
    ++failures;
  }
}

int main() {
  const size_t n = 40000;
  for (rocrand_rng_type type : {ROCRAND_RNG_PSEUDO_XORWOW, ROCRAND_RNG_PSEUDO_MRG32K3A,
                                ROCRAND_RNG_PSEUDO_PHILOX4_32_10, ROCRAND_RNG_PSEUDO_MTGP32}) {
    Device<unsigned> integers(n), again(n);
    Device<float> floats(n);
    Device<double> doubles(n);
    rocrand_generator generator;
    RAND(rocrand_create_generator(&generator, type));
    RAND(rocrand_set_seed(generator, 12345));
    RAND(rocrand_generate(generator, integers.get(), n));
    expectMoments("integers", integers.host(), 2147483647.5, 4294967296.0 / std::sqrt(12.0));
    RAND(rocrand_generate_uniform(generator, floats.get(), n));
    const auto uniform = floats.host();
    for (float value : uniform)
      failures += !(value > 0 && value <= 1);
    expectMoments("uniform", uniform, 0.5, 1 / std::sqrt(12.0));
    RAND(rocrand_generate_uniform_double(generator, doubles.get(), n));
    expectMoments("uniform double", doubles.host(), 0.5, 1 / std::sqrt(12.0));
    RAND(rocrand_generate_normal(generator, floats.get(), n, 3.f, 2.f));
    expectMoments("normal", floats.host(), 3, 2);
    RAND(rocrand_generate_log_normal_double(generator, doubles.get(), n, 0.0, 0.25));
    const double e = std::exp(0.25 * 0.25);
    expectMoments("log normal", doubles.host(), std::sqrt(e), std::sqrt((e - 1) * e));
    RAND(rocrand_generate_poisson(generator, integers.get(), n, 20.0));
    expectMoments("poisson", integers.host(), 20, std::sqrt(20.0));
    RAND(rocrand_destroy_generator(generator));

    const auto draw = [&](unsigned *to, unsigned long long seed) {
      rocrand_generator g;
      RAND(rocrand_create_generator(&g, type));
      RAND(rocrand_set_seed(g, seed));
      RAND(rocrand_generate(g, to, n));
      HIP(hipDeviceSynchronize());
      RAND(rocrand_destroy_generator(g));
    };
    draw(integers.get(), 7);
    draw(again.get(), 7);
    const auto first = integers.host();
    expectSame("the same seed", again.host(), first);
    draw(again.get(), 8);
    EXPECT(again.host() != first);
  }

  // Sobol points: each of 1024 strata of every dimension gets exactly one of the first 1024.
  const unsigned dimensions = 5, points = 1024;
  Device<unsigned> sobol(dimensions * points);
  rocrand_generator quasi;
  RAND(rocrand_create_generator(&quasi, ROCRAND_RNG_QUASI_SOBOL32));
  RAND(rocrand_set_quasi_random_generator_dimensions(quasi, dimensions));
  RAND(rocrand_generate(quasi, sobol.get(), dimensions * points));
  RAND(rocrand_destroy_generator(quasi));
  const auto drawn = sobol.host();
  for (unsigned d = 0; d < dimensions; ++d) {
    std::vector<int> strata(points);
    for (unsigned i = 0; i < points; ++i)
      ++strata[drawn[d * points + i] >> 22];
    expectSame("strata", strata, std::vector<int>(points, 1));
  }

  // hipRAND hands its calls on to rocRAND.
  hiprandGenerator_t hip;
  Device<float> floats(n);
  RAND(hiprandCreateGenerator(&hip, HIPRAND_RNG_PSEUDO_DEFAULT));
  RAND(hiprandSetPseudoRandomGeneratorSeed(hip, 99));
  RAND(hiprandGenerateNormal(hip, floats.get(), n, -1.f, 0.5f));
  expectMoments("hipRAND normal", floats.host(), -1, 0.5);
  RAND(hiprandDestroyGenerator(hip));
  return verdict();
}
