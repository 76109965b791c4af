#include "runtime/codeobject/msgpack.h"

namespace meld {
namespace {

struct Open {
  uint64_t left; ///< values still to come in this array or map
  bool map;
};

uint64_t bigEndian(ByteView bytes, uint64_t at, unsigned size) {
  uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i)
    value = value << 8 | bytes[at + i];
  return value;
}

/// What follows a type byte.
struct Shape {
  unsigned lengthBytes = 0; ///< width of an explicit length
  uint64_t payload = 0;     ///< bytes after the type byte (and length), when fixed
  uint64_t children = 0;
  bool isString = false, isBlob = false, isArray = false, isMap = false, isValid = true;
};

Shape shapeOf(uint8_t type) {
  Shape s;
  if (type <= 0x7f || type >= 0xe0)
    return s;
  if (type <= 0x8f) {
    s.isMap = true;
    s.children = type & 15;
  } else if (type <= 0x9f) {
    s.isArray = true;
    s.children = type & 15;
  } else if (type <= 0xbf) {
    s.isString = true;
    s.payload = type & 31;
  } else {
    switch (type) {
    case 0xc0:
    case 0xc2:
    case 0xc3:
      break; // nil, false, true
    case 0xc4:
    case 0xc5:
    case 0xc6:
      s.isBlob = true;
      s.lengthBytes = 1u << (type - 0xc4);
      break;
    case 0xc7:
    case 0xc8:
    case 0xc9: // ext: one more byte
      s.isBlob = true;
      s.lengthBytes = 1u << (type - 0xc7);
      s.payload = 1;
      break;
    case 0xca:
    case 0xce:
    case 0xd2:
      s.payload = 4;
      break;
    case 0xcb:
    case 0xcf:
    case 0xd3:
      s.payload = 8;
      break;
    case 0xcc:
    case 0xd0:
      s.payload = 1;
      break;
    case 0xcd:
    case 0xd1:
      s.payload = 2;
      break;
    case 0xd4:
    case 0xd5:
    case 0xd6:
    case 0xd7:
    case 0xd8:
      s.payload = 1 + (1u << (type - 0xd4));
      break;
    case 0xd9:
    case 0xda:
    case 0xdb:
      s.isString = true;
      s.lengthBytes = 1u << (type - 0xd9);
      break;
    case 0xdc:
    case 0xdd:
      s.isArray = true;
      s.lengthBytes = type == 0xdc ? 2 : 4;
      break;
    case 0xde:
    case 0xdf:
      s.isMap = true;
      s.lengthBytes = type == 0xde ? 2 : 4;
      break;
    default:
      s.isValid = false;
    }
  }
  return s;
}

} // namespace

Result<void> checkMsgPack(ByteView bytes, unsigned maxDepth) {
  std::vector<Open> stack{{1, false}};
  uint64_t at = 0;
  auto bad = [&](uint64_t where, const std::string &what) {
    return fail(ErrorCode::badInput, "MessagePack at offset " + hexOffset(where) + ": " + what);
  };
  while (!stack.empty()) {
    Open &open = stack.back();
    if (!open.left) {
      stack.pop_back();
      continue;
    }
    bool isKey = open.map && open.left % 2 == 0;
    --open.left;
    if (at >= bytes.size())
      return bad(at, "the value ends early");
    uint64_t start = at;
    Shape shape = shapeOf(bytes[at++]);
    if (!shape.isValid)
      return bad(start, "unknown type byte " + hexOffset(bytes[start]));
    if (isKey && !shape.isString)
      return bad(start, "a map key is not a string");
    if (!inRange(at, shape.lengthBytes, bytes.size()))
      return bad(start, "the length ends early");
    uint64_t length = bigEndian(bytes, at, shape.lengthBytes);
    at += shape.lengthBytes;
    uint64_t payload = shape.payload + (shape.isString || shape.isBlob ? length : 0);
    if (!inRange(at, payload, bytes.size()))
      return bad(start, "claims " + std::to_string(payload) + " bytes, " +
                            std::to_string(bytes.size() - at) + " are left");
    at += payload;
    if (shape.isArray || shape.isMap) {
      uint64_t children = shape.children + length;
      if (shape.isMap)
        children *= 2;
      if (children > bytes.size() - at)
        return bad(start, "claims " + std::to_string(children) + " elements, " +
                              std::to_string(bytes.size() - at) + " bytes are left");
      if (stack.size() > maxDepth)
        return bad(start, "nested deeper than " + std::to_string(maxDepth));
      stack.push_back({children, shape.isMap});
    }
  }
  if (at != bytes.size())
    return bad(at, std::to_string(bytes.size() - at) + " bytes after the value");
  return {};
}

} // namespace meld
