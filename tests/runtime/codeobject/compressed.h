// Compressed bundles (CCOB), as clang-offload-bundler writes them.
#pragma once

#include "runtime/codeobject/bytes.h"

#include <zlib.h>
#include <zstd.h>

namespace meld::test {

/// One around `inner`; version 1 to 3, method 0 zlib or 1 zstd.
inline Bytes compressed(const Bytes &inner, unsigned version, unsigned method) {
  Bytes data;
  if (method == 1) {
    data.resize(ZSTD_compressBound(inner.size()));
    data.resize(ZSTD_compress(data.data(), data.size(), inner.data(), inner.size(), 3));
  } else {
    uLongf size = compressBound(inner.size());
    data.resize(size);
    compress(data.data(), &size, inner.data(), inner.size());
    data.resize(size);
  }
  Bytes out = {'C', 'C', 'O', 'B'};
  auto number = [&](uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i)
      out.push_back(uint8_t(value >> (8 * i)));
  };
  const unsigned width = version == 3 ? 8 : 4;
  number(version, 2);
  number(method, 2);
  if (version >= 2)
    number(4 + 2 + 2 + 2 * width + 8 + data.size(), width);
  number(inner.size(), width);
  number(0x1122334455667788, 8); // a hash of the content, for caches; not checked
  out.insert(out.end(), data.begin(), data.end());
  return out;
}

} // namespace meld::test
