// Has libmeld.so loaded as a tool by name and says what its constructor left behind: secureprobe
// LIBRARY
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/auxv.h>

int main(int argc, char **argv) {
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : nullptr;
  if (!library) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  auto load = reinterpret_cast<bool (*)(void *, unsigned long, unsigned long, const char *const *)>(
      dlsym(library, "OnLoad"));
  const char *tools = getenv("HSA_TOOLS_LIB");
  std::printf("secure %lu, tools %s, kept %d\n", getauxval(AT_SECURE), tools ? tools : "(unset)",
              load && load(nullptr, 0, 0, nullptr));
  return 0;
}
