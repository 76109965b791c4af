#include "runtime/engine/options_gate.h"

#include <atomic>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
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

TEST(OptionsGate, AtTheEndOursDoesNotWaitForTheirs) {
  OptionsGate gate;
  gate.enterTheirs(0ms); // and never leaves
  std::thread ours([&] { EXPECT_FALSE(gate.enterOurs(std::chrono::hours(1))); });
  gate.close();
  ours.join();
  EXPECT_FALSE(gate.enterOurs(std::chrono::hours(1)));
  EXPECT_TRUE(gate.isClosed());
  gate.leaveTheirs();
  EXPECT_TRUE(gate.enterOurs(1ms)) << "a turn that is free can be had to the last";
}

TEST(OptionsGate, TheChildOfAForkDoesNotWaitForTheParentsTurns) {
  optionsGate().enterTheirs(0ms);
  const pid_t child = fork();
  if (child == 0) {
    const bool entered = optionsGate().enterOurs(1ms);
    optionsGate().leaveOurs();
    optionsGate().leaveTheirs(); // as the thread does that has forked in its turn
    _exit(entered && optionsGate().enterOurs(1ms) ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(optionsGate().enterOurs(1ms)) << "in the parent all is as it was";
  optionsGate().leaveTheirs();
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
