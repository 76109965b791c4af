// The code objects hipcc made at build time, and small helpers on llvm::Expected.
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace meld::jit::test {

inline std::unique_ptr<llvm::MemoryBuffer> codeObject(const std::string &name) {
  auto file = llvm::MemoryBuffer::getFile(std::string(MELD_TEST_OBJECTS) + "/" + name + ".co", /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  EXPECT_TRUE(bool(file)) << name;
  return file ? std::move(*file) : llvm::MemoryBuffer::getMemBuffer("");
}

template <class T> std::string errorOf(llvm::Expected<T> &value) {
  return value ? std::string() : llvm::toString(value.takeError());
}

} // namespace meld::jit::test
