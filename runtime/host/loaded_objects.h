// Which loaded object an address lies in, for code that may run while another thread is in a
// library's constructor.
//
// dladdr(), dlsym() and dlopen() wait for the lock that a dlopen() holds as long as constructors run. Such a
// constructor may wait for HIP, whose locks the asking thread has: neither goes on.
// dl_iterate_phdr() takes the lock of the list of objects alone, which the loader holds only to
// change the list (glibc, dl_load_write_lock).
//
// Thread rule: any thread. What is called for an object must not come back to the loader.
#pragma once

#include <link.h>

#include <string>

namespace meld {

/// In one of its segments.
bool holds(const dl_phdr_info &object, const void *address) noexcept;

/// Without folders; empty for the program itself.
const char *nameOf(const dl_phdr_info &object) noexcept;

/// Is the address in an object whose name begins so?
bool isInObject(const void *address, const char *name) noexcept;

/// Is it one of the libraries that a compile runs in, by its file name (LLVM, clang, lld, comgr)?
bool isCompilerLibrary(const char *path) noexcept;

/// The file that holds this address; absolute. Empty when unknown.
std::string fileOfAddress(const void *address);

/// The same place in every run, for messages: "libLLVM-15.so.1+0x1a2b3c", the file's name and the
/// offset in memory from where it is loaded; the address itself where no object is.
std::string placeOfAddress(const void *address);

} // namespace meld
