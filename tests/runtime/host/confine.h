// What a program does that confines itself.
#pragma once

#include <cstddef>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace meld::test {

/// A filter that ends the process for creating or renaming anything, or for setting its times.
/// False where none may be installed.
inline bool confine() {
  constexpr unsigned numbers[] = {SYS_mkdirat, SYS_renameat, SYS_unlinkat, SYS_utimensat};
  sock_filter rules[2 * (sizeof(numbers) / sizeof(numbers[0])) + 2] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  unsigned short n = 1;
  for (const unsigned number : numbers) {
    rules[n++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
    rules[n++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  }
  rules[n++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  sock_fprog program{n, rules};
  return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
         !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

} // namespace meld::test
