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

/// A turn between `begin` and `end`, if it is given.
class OptionsTurn {
public:
  explicit OptionsTurn(const OptionsGate &gate) : gate_(gate), has_(!gate.begin || gate.begin()) {}
  ~OptionsTurn() {
    if (has_ && gate_.end)
      gate_.end();
  }
  OptionsTurn(const OptionsTurn &) = delete;
  OptionsTurn &operator=(const OptionsTurn &) = delete;
  bool given() const { return has_; }
  static constexpr const char *kRefused =
      "LLVM's options are in use by the application's own compiler";

private:
  const OptionsGate &gate_;
  const bool has_;
};

} // namespace meld::jit
