// The definitions we stand in front of, found with dlsym(RTLD_NEXT) at first use.
#pragma once

#include <atomic>
#include <dlfcn.h>

#define MELD_EXPORT extern "C" __attribute__((visibility("default")))

namespace meld::softgpu {

template <class F> class Next {
public:
  constexpr explicit Next(const char *name) : name_(name) {}
  F get() {
    if (F known = function_.load(std::memory_order_acquire)) [[likely]]
      return known;
    return look();
  }
  explicit operator bool() { return get() != nullptr; }
  template <class... A> auto operator()(A... arguments) { return get()(arguments...); }

private:
  [[gnu::noinline]] F look() {
    F found = reinterpret_cast<F>(::dlsym(RTLD_NEXT, name_));
    function_.store(found, std::memory_order_release);
    return found;
  }
  const char *name_;
  std::atomic<F> function_{nullptr};
};

} // namespace meld::softgpu
