// The one result type of the rooms without LLVM (shim/, runtime/).
//
// A function that can fail returns Result<T>; the error says what went wrong, about which thing
// and, for bytes, at which offset. Nothing here throws.
//
//   Result<Elf> parse(...);
//   if (auto elf = parse(bytes)) use(*elf); else log(elf.error().message);
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

} // namespace meld
