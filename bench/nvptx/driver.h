// The few functions of the CUDA driver that are needed, found by name when the program runs: nothing
// of an SDK is needed to build it.
//
// Thread rule: one thread, as the programs of bench/kernels are.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace meld::nvptx {

using Handle = struct Opaque *; ///< of a module, a function, a stream, an event, a context
using Address = unsigned long long;

class Driver {
public:
  /// Null where this machine has no NVIDIA GPU, or no driver for it.
  static const Driver *get();

  template <class... A> int call(const char *name, A... arguments) const {
    auto *function = reinterpret_cast<int (*)(A...)>(dlsym(library_, name));
    return function ? function(arguments...) : -1;
  }
  /// The same, where a failure ends the program: what was measured until then is of no use.
  template <class... A> void need(const char *name, A... arguments) const {
    if (const int status = call(name, arguments...)) {
      std::fprintf(stderr, "%s: error %d of the CUDA driver\n", name, status);
      std::_Exit(1);
    }
  }
  /// As the driver calls the device, and the newest CUDA that it knows (13000 for 13.0).
  const char *deviceName() const { return name_; }
  int version() const { return version_; }

private:
  Driver();
  void *library_ = nullptr;
  bool usable_ = false;
  char name_[256] = "";
  int version_ = 0;
};

} // namespace meld::nvptx
