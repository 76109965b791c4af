#include "tests/fuzz/kernel_ast.h"
#include "tests/fuzz/kernel_generator.h"

namespace meld::fuzz {

KernelAst generateKernel(uint64_t seed, unsigned generator) {
  if (generator == nestGenerator)
    return generateNests(seed);
  KernelAst ast = Generator(seed, generator).kernel(seed);
  ast.exactShape = generator == 3 || (generator == 4 && seed % 3 == 0);
  ast.noHighBits = generator == 4;
  return ast;
}

} // namespace meld::fuzz
