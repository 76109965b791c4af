// Stands before llvm::cl::ParseCommandLineOptions, whoever calls it: comgr or libmeld. Tells at the end of
// the process how many calls there were from the thread that calls comgr by itself and from others, and how
// often one was made during another. A call takes 3 ms longer than LLVM's.
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

std::atomic<int> inParse{0}, program{0}, others{0}, together{0};
thread_local bool isProgram = false;

constexpr const char *kName =
    "_ZN4llvm2cl23ParseCommandLineOptionsEiPKPKcNS_9StringRefEPNS_11raw_ostreamES2_b";

/// comgr was opened with RTLD_LOCAL, so its libLLVM comes behind nobody.
Parse inLlvm(const char *name) {
  void *library = nullptr;
  dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *found) {
        if (!object->dlpi_name || !std::strstr(object->dlpi_name, "/libLLVM"))
          return 0;
        *static_cast<void **>(found) = dlopen(object->dlpi_name, RTLD_NOW | RTLD_NOLOAD);
        return 1;
      },
      &library);
  auto f = library ? reinterpret_cast<Parse>(dlsym(library, name)) : nullptr;
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

} // namespace

#define SEEN extern "C" __attribute__((visibility("default")))

/// This thread's calls are the program's.
SEEN void optionsSpyMine() { isProgram = true; }

SEEN bool _ZN4llvm2cl23ParseCommandLineOptionsEiPKPKcNS_9StringRefEPNS_11raw_ostreamES2_b(
    int count, const char *const *values, Reference overview, void *errors, const char *variable,
    bool more) {
  static const Parse next = inLlvm(kName);
  ++(isProgram ? program : others);
  together += inParse++ > 0;
  usleep(3000);
  together += inParse > 1;
  const bool result = next(count, values, overview, errors, variable, more);
  --inParse;
  return result;
}
