// fatal_probe LIBRARY OBJECT: an application with an LLVM of its own, which is the one
// that libmeld-jit.so uses, and a handler of its own for fatal errors. It is called for the
// application's fatal error, whatever was compiled before; exit status 0.
#include "jit/api.h"

#include "llvm/Support/ErrorHandling.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

void ofTheApplication(void *, const char *reason, bool) {
  std::_Exit(std::strcmp(reason, "the application's") ? 3 : 0);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  llvm::install_fatal_error_handler(ofTheApplication);
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  auto compile =
      library ? reinterpret_cast<MeldJitCompileFn>(dlsym(library, "meld_jit_compile")) : nullptr;
  std::ifstream in(argv[2], std::ios::binary);
  const std::vector<char> object{std::istreambuf_iterator<char>(in), {}};
  if (!compile || object.empty())
    return 2;
  MeldJitRequest request{};
  request.abi = MELD_JIT_ABI;
  request.codeObject = object.data();
  request.size = object.size();
  request.isa = "amdgcn-amd-amdhsa--gfx90a";
  MeldJitReply reply{};
  const int status = compile(&request, &reply);
  std::printf("compile %d: %s\n", status, reply.reason ? reply.reason : "");
  std::fflush(stdout);
  if (status != MELD_JIT_FAILED || reply.permanent)
    return 4; // not a verdict on the object
  llvm::report_fatal_error("the application's");
}
