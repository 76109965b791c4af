#include "runtime/host/confinement.h"
#include "tests/runtime/host/confine.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

using namespace meld;
using meld::test::confine;

TEST(Confinement, AFilterOfTheApplicationsIsNoticed) {
  constexpr int cannot = 77;
  const pid_t child = fork();
  if (!child) {
    if (confinedSince())
      _exit(1); // before anything is known
    rememberConfinement();
    if (confinedSince())
      _exit(2);
    if (!confine())
      _exit(cannot);
    if (!confinedSince())
      _exit(3);
    rememberConfinement(); // as in a container: the filter was there before
    _exit(confinedSince() ? 4 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == cannot)
    GTEST_SKIP() << "may not install a filter";
  EXPECT_EQ(status, 0);
}
