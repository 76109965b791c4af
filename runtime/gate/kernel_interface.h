// What every gate asks of a kernel and of what is to run in its place: that the host can prepare a
// launch for the one and start the other. Sizes and registers, about which the gates differ, are
// not among it.
#pragma once

#include "runtime/codeobject/codeobject.h"
#include "runtime/gate/finding.h"

#include <functional>

namespace meld {

/// The variable by which clang 18 and later name a build of a unit. Nobody reads it, and bitcode
/// from elsewhere has another.
inline bool namesBuild(const ElfSymbol &symbol) { return symbol.name.starts_with("__hip_cuid_"); }

using AddFinding =
    std::function<void(GateReason reason, const std::string &subject, std::string text)>;

/// Processor, code-object version, metadata version.
void compareTargets(const CodeObject &before, const CodeObject &after, const AddFinding &add);

/// Names, kernarg layout, hidden arguments (those of `b` are among those of `a`; without some its kernarg may
/// be smaller), wavefront and work-group sizes, floating-point mode, and that the second one's
/// descriptor and metadata agree.
void compareInterfaces(const CodeObject &before, const KernelMetadata &a, const CodeObject &after,
                       const KernelMetadata &b, const AddFinding &add);

/// Waves per SIMD, and registers where the host may have counted on them.
void compareRegisters(const CodeObject &before, const KernelMetadata &a, const KernelMetadata &b,
                      LowerOccupancy lower, const AddFinding &add);

/// "private segment bytes 0 -> 32"
std::string changeText(const char *what, uint64_t from, uint64_t to);

} // namespace meld
