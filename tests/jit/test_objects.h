// The code objects hipcc made at build time, and small helpers on llvm::Expected.
#pragma once

#include "llvm/Object/ELF.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace meld::jit::test {

inline std::unique_ptr<llvm::MemoryBuffer> codeObject(const std::string &name) {
  auto file = llvm::MemoryBuffer::getFile(std::string(MELD_TEST_OBJECTS) + "/" + name + ".co",
                                          /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  EXPECT_TRUE(bool(file)) << name;
  return file ? std::move(*file) : llvm::MemoryBuffer::getMemBuffer("");
}

/// The same ELF with other contents in one section: they go behind the end, the section header
/// follows.
inline std::string withSection(llvm::StringRef elf, llvm::StringRef name,
                               llvm::StringRef contents) {
  using namespace llvm::object;
  auto file = llvm::cantFail(ELFFile<ELF64LE>::create(elf));
  std::string out = elf.str();
  size_t index = 0;
  auto sections = llvm::cantFail(file.sections());
  for (const auto &section : sections) {
    if (llvm::cantFail(file.getSectionName(section)) == name) {
      ELF64LE::Shdr changed = section;
      changed.sh_offset = out.size();
      changed.sh_size = contents.size();
      std::memcpy(out.data() + file.getHeader().e_shoff + index * sizeof changed, &changed,
                  sizeof changed);
      return out + contents.str();
    }
    ++index;
  }
  ADD_FAILURE() << "no section " << name.str();
  return out;
}

/// A section's bytes by name; empty when absent.
inline llvm::Expected<llvm::StringRef> sectionBytes(llvm::MemoryBufferRef elf,
                                                    llvm::StringRef name) {
  using namespace llvm::object;
  auto file = ELFFile<ELF64LE>::create(elf.getBuffer());
  if (!file)
    return file.takeError();
  for (const auto &section : llvm::cantFail(file->sections()))
    if (llvm::cantFail(file->getSectionName(section)) == name) {
      auto bytes = llvm::cantFail(file->getSectionContents(section));
      return llvm::StringRef(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    }
  return llvm::StringRef();
}

template <class T> std::string errorOf(llvm::Expected<T> &value) {
  return value ? std::string() : llvm::toString(value.takeError());
}

} // namespace meld::jit::test
