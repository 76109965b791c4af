// Prints its own /proc/self/maps and environment; a child when asked ("again"), to see what is
// inherited. "rocr": asks, as portable programs do, whether ROCr and hiprtc are in the process.
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "again"))
    execl(argv[0], argv[0], nullptr);
  if (argc > 1 && !strcmp(argv[1], "rocr")) {
    auto init = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "hsa_init"));
    auto compile = reinterpret_cast<int (*)(void *, int, const char *const *)>(
        dlsym(RTLD_DEFAULT, "hiprtcCompileProgram"));
    printf("hsa_init %s, hiprtcCompileProgram %s\n",
           !init    ? "missing"
           : init() ? "fails"
                    : "succeeds",
           !compile                       ? "missing"
           : compile(nullptr, 0, nullptr) ? "fails"
                                          : "succeeds");
    return 0;
  }
  FILE *maps = fopen("/proc/self/maps", "r");
  char buffer[4096];
  while (size_t got = fread(buffer, 1, sizeof(buffer), maps))
    fwrite(buffer, 1, got, stdout);
  fclose(maps);
  for (char **entry = environ; *entry; ++entry)
    printf("%s\n", *entry);
  return 0;
}
