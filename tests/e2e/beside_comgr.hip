// A program in which one thread launches kernels, which libmeld compiles, while another calls comgr, as HIP
// does for its own kernels and for hipLinkComplete. With an argument: comgr is called with that option, last and
// by the thread that launches.
#include <hip/hip_runtime.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <thread>

#if __has_include(<amd_comgr/amd_comgr.h>)
#include <amd_comgr/amd_comgr.h>
#else
#include <amd_comgr.h>
#endif

template <int N> __global__ void meldable(int *data, int n) {
  const int i = threadIdx.x;
  int a = data[i];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if ((a + k + N) & 1)
      a = (a * 3 + k) ^ (a >> 3), a = a * 17 + data[(a + k) & 63];
    else
      a = (a * 5 + k) ^ (a >> 2), a = a * 13 + data[(a - k) & 63];
  }
  data[i] = a + n;
}

template <int N> void launchAll(int *data) {
  meldable<N><<<1, 64>>>(data, N);
  if constexpr (N > 0)
    launchAll<N - 1>(data);
}

template <class F> static F comgr(const char *name) {
  static void *library = dlopen("libamd_comgr.so." COMGR_MAJOR, RTLD_NOW);
  auto f = library ? reinterpret_cast<F>(dlsym(library, name)) : nullptr;
  if (!f) {
    std::fprintf(stderr, "%s is missing\n", name);
    std::_Exit(91);
  }
  return f;
}
#define COMGR(name) comgr<decltype(&name)>(#name)
#define CHECK(call)                                                                                \
  if ((call) != AMD_COMGR_STATUS_SUCCESS)                                                          \
  std::_Exit(92)

/// One action: OpenCL source to bitcode, with an option of LLVM's.
static void compileOnce(const char *option = "-amdgpu-early-inline-all") {
  static const char source[] = "kernel void f(global int *p) { p[0] += 3; }";
  const char *options[] = {"-mllvm", option};
  amd_comgr_data_t data;
  amd_comgr_data_set_t in, out;
  amd_comgr_action_info_t info;
  CHECK(COMGR(amd_comgr_create_data)(AMD_COMGR_DATA_KIND_SOURCE, &data));
  CHECK(COMGR(amd_comgr_set_data)(data, sizeof(source) - 1, source));
  CHECK(COMGR(amd_comgr_set_data_name)(data, "f.cl"));
  CHECK(COMGR(amd_comgr_create_data_set)(&in));
  CHECK(COMGR(amd_comgr_create_data_set)(&out));
  CHECK(COMGR(amd_comgr_data_set_add)(in, data));
  CHECK(COMGR(amd_comgr_create_action_info)(&info));
  CHECK(COMGR(amd_comgr_action_info_set_language)(info, AMD_COMGR_LANGUAGE_OPENCL_2_0));
  CHECK(COMGR(amd_comgr_action_info_set_isa_name)(info, "amdgcn-amd-amdhsa--gfx90a"));
  CHECK(COMGR(amd_comgr_action_info_set_option_list)(info, options, 2));
  CHECK(COMGR(amd_comgr_do_action)(AMD_COMGR_ACTION_COMPILE_SOURCE_TO_BC, info, in, out));
  size_t count = 0;
  CHECK(COMGR(amd_comgr_action_data_count)(out, AMD_COMGR_DATA_KIND_BC, &count));
  if (count != 1)
    std::_Exit(93);
  COMGR(amd_comgr_destroy_action_info)(info);
  COMGR(amd_comgr_destroy_data_set)(in);
  COMGR(amd_comgr_destroy_data_set)(out);
  COMGR(amd_comgr_release_data)(data);
}

int main(int argc, char **argv) {
  auto tellSpy = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "optionsSpyMine"));
  int *data = nullptr;
  if (hipMalloc(&data, 256) != hipSuccess || hipMemset(data, 1, 256) != hipSuccess)
    return 90;
  if (argc > 1) {
    launchAll<6>(data);
    compileOnce(argv[1]);
    return 96;
  }
  std::atomic<bool> over{false};
  std::thread other([&] {
    if (tellSpy)
      tellSpy();
    do
      compileOnce();
    while (!over);
  });
  launchAll<6>(data); // the first of them loads the code object, which waits for the compile
  const bool fine = hipDeviceSynchronize() == hipSuccess;
  over = true;
  other.join();
  std::puts(fine ? "done" : "failed");
  return fine ? 0 : 1;
}
