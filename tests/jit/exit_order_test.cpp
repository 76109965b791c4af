// What is registered for the end of the process while the compiler is at work would run before
// anything that was registered earlier: LLVM's global objects would go under a running compile.
#include "jit/exit_order.h"

#include "runtime/host/exit_handlers.h"
#include "runtime/host/loaded_objects.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <unistd.h>

namespace {

void say(const char *text, size_t size) { (void)!write(STDERR_FILENO, text, size); }

void stop() {
  static bool stopped = false;
  if (!stopped)
    say("stopped, ", 9);
  stopped = true;
}

struct Global {
  ~Global() { say("destroyed", 9); }
};

/// Its destructor is registered when it is first used, as those of LLVM's objects are.
void useGlobal() { static Global global; }

} // namespace

// This program is taken for the compiler's library, as its code is in it.
TEST(ExitOrderDeathTest, TheStopComesBeforeWhatTheCompilerRegisters) {
  EXPECT_EXIT(
      {
        meld::jit::runBeforeExitHandlers(stop);
        useGlobal();
        std::exit(3);
      },
      testing::ExitedWithCode(3), "stopped, destroyed");
}

// As the shim has it done for the application's comgr, before there is a compiler of ours.
TEST(ExitOrderDeathTest, TheStopComesBeforeWhatChosenLibrariesRegister) {
  EXPECT_EXIT(
      {
        meld::runBeforeExitHandlersOf(
            [](const dl_phdr_info &object) {
              return meld::holds(object, reinterpret_cast<const void *>(&useGlobal));
            },
            stop);
        useGlobal();
        std::exit(3);
      },
      testing::ExitedWithCode(3), "stopped, destroyed");
}

// Without us the order is the other one: the test can fail.
TEST(ExitOrderDeathTest, TheCLibraryRunsTheLatestFirst) {
  EXPECT_EXIT(
      {
        std::atexit(stop);
        useGlobal();
        std::exit(3);
      },
      testing::ExitedWithCode(3), "destroyedstopped, ");
}
