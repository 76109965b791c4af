#include "shim/own_calls.h"

#include <utility>

namespace meld {

namespace {
thread_local bool tInside = false;
}

OwnCalls::OwnCalls() noexcept : before_(std::exchange(tInside, true)) {}
OwnCalls::~OwnCalls() { tInside = before_; }

bool inOwnCalls() noexcept { return tInside; }

} // namespace meld
