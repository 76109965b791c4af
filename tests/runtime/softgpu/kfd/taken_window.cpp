// Preloaded: something of the process's own lies where the thunk would reserve its window of device
// addresses, as the shadow memory of a program with AddressSanitizer does.
#include <sys/mman.h>

__attribute__((constructor)) static void take() {
  // 768 GiB; elsewhere, where something is there already, which will do.
  mmap(reinterpret_cast<void *>(0xc000000000), 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
