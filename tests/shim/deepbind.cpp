// Reaches ROCr past every preloaded symbol, and without tools: libmeld cannot see this program.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

int main() {
  unsetenv("HSA_TOOLS_LIB");
  void *rocr = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  auto init = rocr ? reinterpret_cast<int (*)()>(dlsym(rocr, "hsa_init")) : nullptr;
  std::printf("init %d\n", init ? init() : -1);
}
