// The one result type of the rooms without LLVM (shim/, runtime/).
//
// A function that can fail returns Result<T>; the error says what went wrong, about which thing
// and, for bytes, at which offset. Nothing here throws.
//
//   Result<Elf> parse(...);
//   if (auto elf = parse(bytes)) use(*elf); else log(elf.error().message);
//   Elf elf = MELD_TRY(parse(bytes)); // in a function that hands errors on
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace meld {

enum class ErrorCode : uint8_t {
  badInput,    ///< bytes from outside do not have the form they claim
  notFound,    ///< the thing asked for is not there
  unsupported, ///< well-formed, but not something we handle
  io,          ///< the operating system refused (message holds strerror)
  internal,    ///< an invariant of ours broke
};

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;
};

template <class T> using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

template <class T> T valueOf(Result<T> &&result) { return *std::move(result); }
inline void valueOf(Result<void> &&) {}

/// The value of a Result; or the error, handed on by the function in which this stands.
#define MELD_TRY(...)                                                                              \
  __extension__({                                                                                  \
    auto meldTried = (__VA_ARGS__);                                                                \
    if (!meldTried)                                                                                \
      return tl::unexpected(std::move(meldTried).error());                                         \
    ::meld::valueOf(std::move(meldTried));                                                         \
  })

} // namespace meld
