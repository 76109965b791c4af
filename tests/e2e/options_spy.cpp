// Stands before llvm::cl::ParseCommandLineOptions and ResetAllOptionOccurrences, whoever calls them: comgr or
// libmeld. Tells at the end of the process how many calls of the first there were from the thread
// that calls comgr by itself and from others, and how often either was called during another. A
// call takes 3 ms longer than LLVM's.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

namespace {

struct Reference { // llvm::StringRef, as the ABI passes it
  const char *data;
  size_t size;
};
using Parse = bool (*)(int, const char *const *, Reference, void *, const char *, bool);
using Reset = void (*)();

std::atomic<int> inCall{0}, program{0}, others{0}, together{0};
thread_local bool isProgram = false;
thread_local unsigned depth = 0; // parsing may reset

constexpr const char *kParse =
    "_ZN4llvm2cl23ParseCommandLineOptionsEiPKPKcNS_9StringRefEPNS_11raw_ostreamES2_b";
constexpr const char *kReset = "_ZN4llvm2cl25ResetAllOptionOccurrencesEv";

/// comgr was opened with RTLD_LOCAL, so its libLLVM comes behind nobody.
template <class F> F inLlvm(const char *name) {
  void *library = nullptr;
  dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *found) {
        if (!object->dlpi_name || !std::strstr(object->dlpi_name, "/libLLVM"))
          return 0;
        *static_cast<void **>(found) = dlopen(object->dlpi_name, RTLD_NOW | RTLD_NOLOAD);
        return 1;
      },
      &library);
  auto f = library ? reinterpret_cast<F>(dlsym(library, name)) : nullptr;
  if (!f)
    std::abort();
  return f;
}

const auto tell = [] {
  std::atexit([] {
    std::fprintf(stderr, "options-spy: program %d, others %d, together %d\n", program.load(),
                 others.load(), together.load());
  });
  return 0;
}();

/// A call of either, counted where it is another's neighbour.
class Call {
public:
  Call() : outer_(depth++ == 0) {
    if (!outer_)
      return;
    together += inCall++ > 0;
    usleep(3000);
    together += inCall > 1;
  }
  ~Call() {
    --depth;
    inCall -= outer_;
  }

private:
  const bool outer_;
};

} // namespace

#define SEEN extern "C" __attribute__((visibility("default")))

/// This thread's calls are the program's.
SEEN void optionsSpyMine() { isProgram = true; }

SEEN bool _ZN4llvm2cl23ParseCommandLineOptionsEiPKPKcNS_9StringRefEPNS_11raw_ostreamES2_b(
    int count, const char *const *values, Reference overview, void *errors, const char *variable,
    bool more) {
  static const auto next = inLlvm<Parse>(kParse);
  ++(isProgram ? program : others);
  const Call call;
  return next(count, values, overview, errors, variable, more);
}

SEEN void _ZN4llvm2cl25ResetAllOptionOccurrencesEv() {
  static const auto next = inLlvm<Reset>(kReset);
  const Call call;
  next();
}
