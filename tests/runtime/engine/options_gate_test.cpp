#include "runtime/engine/options_gate.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace meld;
using namespace std::chrono_literals;

TEST(OptionsGate, NeverBothInside) {
  OptionsGate gate;
  std::atomic<int> ours{0}, theirs{0}, together{0}, most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        gate.enterTheirs(60s);
        const int now = ++theirs;
        together += ours.load();
        if (now > most)
          most = now;
        std::this_thread::yield();
        --theirs;
        gate.leaveTheirs();
      }
    });
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        if (!gate.enterOurs(60s))
          continue;
        together += ours++ + theirs;
        std::this_thread::yield();
        --ours;
        gate.leaveOurs();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(together, 0);
}

TEST(OptionsGate, PatienceHasAnEnd) {
  OptionsGate gate;
  gate.enterTheirs(0ms);
  gate.enterTheirs(0ms); // theirs do not wait for each other
  EXPECT_FALSE(gate.enterOurs(1ms));
  gate.leaveTheirs();
  EXPECT_FALSE(gate.enterOurs(1ms));
  gate.leaveTheirs();
  EXPECT_TRUE(gate.enterOurs(1ms));
  gate.enterTheirs(1ms); // the application goes on all the same
  gate.leaveTheirs();
  EXPECT_FALSE(gate.enterOurs(1ms)) << "one of ours at a time";
  gate.leaveOurs();
  gate.leaveOurs();
  EXPECT_TRUE(gate.enterOurs(1ms));
}

TEST(OptionsGate, WhoHasWaitedInVainDoesNotWaitForTheSameTurnAgain) {
  OptionsGate gate;
  ASSERT_TRUE(gate.enterOurs(1ms));
  gate.enterTheirs(1ms);
  gate.leaveTheirs();
  const auto begin = std::chrono::steady_clock::now();
  gate.enterTheirs(std::chrono::hours(1)); // would be the test's time limit
  gate.leaveTheirs();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(1));
  gate.leaveOurs();
  ASSERT_TRUE(gate.enterOurs(1ms)) << "the next turn is a turn like any other";
  std::atomic<bool> entered{false};
  std::thread other([&] {
    gate.enterTheirs(std::chrono::hours(1));
    entered = true;
    gate.leaveTheirs();
  });
  EXPECT_FALSE(entered);
  gate.leaveOurs();
  other.join();
  EXPECT_TRUE(entered);
}
