// A kernel with several versions, a device whose times are noisy, and a trial between them.
#pragma once

#include "runtime/adapt/trial.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>
#include <vector>

namespace meld::adapt::test {

struct Noise {
  double percent = 0;  ///< of the logarithm of a time
  double outliers = 0; ///< percent of the launches take 1.2 to 4 times as long
  double drift = 0;    ///< percent that all times grow by over the run
};

struct Outcome {
  double spent = 0;    ///< the run's time, without noise
  double best = 0;     ///< had the best version always run
  double original = 0; ///< had the original always run
  unsigned incumbent = 0;
};

class Simulation {
public:
  Simulation(uint64_t seed, Noise noise, unsigned depth = 0)
      : random_(seed), noise_(noise), depth_(depth) {}

  /// `times[v]`: of each version, in nanoseconds; `observe` sees the trial after each launch.
  template <class Observe>
  void run(const std::vector<double> &times, unsigned launches, Observe observe) {
    for (unsigned i = 0; i < launches; ++i) {
      const Trial::Launch launch = trial.next(budget, pending_.size() < 64 ? 2 : 0);
      const double work = works[i % works.size()], time = work * times[launch.version];
      outcome.spent += time;
      outcome.original += work * times[0];
      outcome.best += work * *std::min_element(times.begin(), times.end());
      if (launch.timed)
        pending_.push_back({launch, measured(time, double(i) / launches), launched_ + depth_});
      // The host is `depth` launches ahead of the device.
      for (++launched_; !pending_.empty() && pending_.front().due < launched_;) {
        trial.finished(pending_.front().launch, pending_.front().time, budget);
        pending_.pop_front();
      }
      observe(trial);
    }
    outcome.incumbent = trial.incumbent();
  }
  void run(const std::vector<double> &times, unsigned launches) {
    run(times, launches, [](const Trial &) {});
  }

  Trial trial;
  Budget budget;
  Outcome outcome;
  std::vector<double> works{1}; ///< how much there is to do in each launch, again and again

private:
  struct Pending {
    Trial::Launch launch;
    double time;
    uint64_t due;
  };

  double measured(double time, double progress) {
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    time *= std::exp(noise_.percent / 100 * normal(random_)) * (1 + noise_.drift / 100 * progress);
    if (uniform(random_) * 100 < noise_.outliers)
      time *= 1.2 + 2.8 * uniform(random_);
    return time;
  }

  std::mt19937_64 random_;
  Noise noise_;
  unsigned depth_;
  uint64_t launched_ = 0;
  std::deque<Pending> pending_;
};

} // namespace meld::adapt::test
