// As another version of LLVM with which the program is linked: the same names, versions of its own, and
// options of its own, of which comgr knows nothing.
#include <unistd.h>

#define OTHER extern "C" __attribute__((visibility("default")))

OTHER bool _ZN4llvm2cl23ParseCommandLineOptionsEiPKPKcNS_9StringRefEPNS_11raw_ostreamES2_b() {
  _exit(94);
}

OTHER void _ZN4llvm2cl25ResetAllOptionOccurrencesEv() { _exit(95); }
