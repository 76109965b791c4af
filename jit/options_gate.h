// Who may set LLVM's command-line options: they are one set per process.
#pragma once

#include <functional>

namespace meld::jit {

/// Asked before our run of the pipeline sets them, told after it has reset them. Both empty where
/// nobody else compiles. `begin` returning false fails the compile; it may wait.
struct OptionsGate {
  std::function<bool()> begin;
  std::function<void()> end;
};

} // namespace meld::jit
