// Dispatches take turns, unless one may be waiting for another.
#include "runtime/softgpu/verify/turns.h"

#include <atomic>
#include <gtest/gtest.h>
#include <optional>
#include <thread>

using namespace meld::softgpu::verify;

namespace {

using std::chrono::hours;

TEST(Turns, OneAfterTheOther) {
  Turns turns(hours(1));
  std::atomic<int> inside{0}, most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) {
        Turns::Turn turn(turns);
        const int now = ++inside;
        most = std::max(most.load(), now);
        turn.originalEnded();
        EXPECT_FALSE(turn.overlapped());
        --inside;
      }
    });
  for (auto &t : threads)
    t.join();
  EXPECT_EQ(most, 1);
}

TEST(Turns, AnOriginalThatDoesNotEndIsNotWaitedForForEver) {
  Turns turns(Turns::Milliseconds(1));
  Turns::Turn waits(turns);
  {
    Turns::Turn other(turns); // would block
    EXPECT_TRUE(other.overlapped());
    EXPECT_FALSE(other.heldUp());
  }
  EXPECT_TRUE(waits.overlapped());
  EXPECT_TRUE(waits.heldUp());
}

TEST(Turns, WhatEndsByItselfIsWaitedFor) {
  Turns turns(Turns::Milliseconds(1));
  std::optional<Turns::Turn> first(std::in_place, turns);
  first->originalEnded();
  std::atomic<bool> ended{false};
  std::thread other([&] {
    Turns::Turn turn(turns);
    EXPECT_TRUE(ended);
    EXPECT_FALSE(turn.overlapped());
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20)); // many times the patience
  ended = true;
  first.reset();
  other.join();
}

} // namespace
