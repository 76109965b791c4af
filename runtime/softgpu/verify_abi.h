/* What libmeld.so tells the software GPU for `meld verify`: which kernel stands for which, and
 * which addresses of the two code objects mean the same. Plain C; the functions are found by dlsym.
 *
 * Thread rule: any thread. Nothing is kept of the memory behind the pointers. */
#ifndef MELD_SOFTGPU_VERIFY_ABI_H
#define MELD_SOFTGPU_VERIFY_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MELD_VERIFY_ABI 2

/* A variable or function that both code objects define. */
typedef struct MeldVerifySymbol {
  const char *name;
  uint64_t original, replacement, size; /* addresses where they were loaded; bytes */
  int variable; /* memory: the replacement has to use the original's; else only an address */
} MeldVerifySymbol;

typedef struct MeldVerifyKernel {
  const char *name;
  uint64_t original, replacement; /* descriptors; replacement 0: there is none, see `refused` */
} MeldVerifyKernel;

/* How the replacement is launched where the original is. `packet`: a copy of the launch's
 * hsa_kernel_dispatch_packet_t, in which the sizes become the replacement's. `arguments`: the first
 * `readable` bytes of its argument block, as many as were asked for or 0. Returns NULL, or why this
 * launch is not compared: a text that stays. */
typedef const char *(*MeldVerifyLaunch)(const void *context, void *packet, const void *arguments,
                                        uint64_t readable);

typedef struct MeldVerifyObject {
  uint32_t abi;                                                          /* MELD_VERIFY_ABI */
  uint64_t originalBase, originalSize, replacementBase, replacementSize; /* as loaded */
  const MeldVerifyKernel *kernels;
  uint64_t kernelCount;
  const MeldVerifySymbol *symbols;
  uint64_t symbolCount;
  const char *refused; /* why its kernels cannot be verified; NULL: they can */
  /* What a specialised version takes for granted about a launch; NULL: nothing. The kernels of an
   * original may have a version for each of several texts. */
  const char *facts;
  MeldVerifyLaunch launch; /* NULL: with the original's packet, always */
  uint64_t argumentBytes;  /* that `launch` looks at */
  const void *context;
  void (*release)(const void *context); /* called once, when no dispatch needs it any more */
} MeldVerifyObject;

/* Verification begins: from now on dispatches take turns. Reports and captures go to `folder`. */
__attribute__((visibility("default"))) void meld_softgpu_verify_open(const char *folder);
__attribute__((visibility("default"))) void meld_softgpu_verify_add(const MeldVerifyObject *object);
/* The object with this kernel's (original) descriptor is about to be unloaded. */
__attribute__((visibility("default"))) void meld_softgpu_verify_remove(uint64_t originalDescriptor);
/* What the application allocated, which may be a part of what the driver was asked for. size 0: it
 * was freed. */
__attribute__((visibility("default"))) void meld_softgpu_verify_allocation(uint64_t address,
                                                                           uint64_t size);

#ifdef __cplusplus
}
#endif
#endif
