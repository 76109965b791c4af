// The device libraries (ocml, ockl, oclc), where the embedded bitcode lacks them.
//
// hipcc links them before it embeds the bitcode; hiprtc embeds what the front end made and links
// them afterwards, through comgr's ADD_DEVICE_LIBRARIES. The same action gives us the same
// libraries: they are part of comgr, no path is guessed. From interface 3 on comgr has the action
// no more, and hiprtc compiles with the libraries in place.
//
// Only what is needed is linked, and it becomes internal: no symbol is added to the code object.
// Thread rule: as Comgr; the module's own context.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace meld::jit {

class Comgr;

/// Does the module use a device-library function (or variable) that it does not define?
bool needsDeviceLibraries(const llvm::Module &module);

/// Defines what needsDeviceLibraries() found. What no library has stays undefined: the link says
/// so.
llvm::Error linkDeviceLibraries(llvm::Module &module, const Comgr &comgr, llvm::StringRef isaName);

} // namespace meld::jit
