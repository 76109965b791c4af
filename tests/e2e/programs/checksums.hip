// SHA-256 of messages of every length up to 200 bytes (padding cases), CRC-32 by table and by the
// combination of pieces computed in parallel. References: a straightforward host version
// checked against published values.
#include "check.h"

#include <string>

__host__ __device__ inline unsigned rotate(unsigned v, int n) { return v >> n | v << (32 - n); }

/// First 32 bits of the fractional parts of the cube roots of the first 64 primes: made by main.
__constant__ unsigned roundConstants[64];

template <class K>
__host__ __device__ void sha256(const uint8_t *message, unsigned length, unsigned *out,
                                const K &k) {
  unsigned h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const unsigned blocks = (length + 9 + 63) / 64;
  for (unsigned b = 0; b < blocks; ++b) {
    unsigned w[64];
    for (unsigned i = 0; i < 16; ++i) {
      w[i] = 0;
      for (unsigned j = 0; j < 4; ++j) {
        const unsigned at = b * 64 + i * 4 + j;
        const unsigned byte = at < length ? message[at] : at == length ? 0x80 : 0;
        w[i] = w[i] << 8 | byte;
      }
      if (b == blocks - 1 && i == 15)
        w[15] = length * 8;
    }
    for (int i = 16; i < 64; ++i) {
      const unsigned s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
      const unsigned s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    unsigned v[8];
    for (int i = 0; i < 8; ++i)
      v[i] = h[i];
    for (int i = 0; i < 64; ++i) {
      const unsigned s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
      const unsigned t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
      const unsigned s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
      const unsigned t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
      for (int j = 7; j > 0; --j)
        v[j] = v[j - 1];
      v[4] += t1;
      v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; ++i)
      h[i] += v[i];
  }
  for (int i = 0; i < 8; ++i)
    out[i] = h[i];
}
__global__ void hashAll(const uint8_t *data, unsigned *out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    sha256(data + i, i, out + 8 * i, roundConstants); // message i: i bytes from offset i
}

__host__ __device__ inline unsigned crcByte(unsigned crc, unsigned byte) {
  crc ^= byte;
  for (int b = 0; b < 8; ++b)
    crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  return crc;
}
/// Multiplies by x^(8 n) modulo the polynomial: what appending n zero bytes does.
__device__ unsigned appendZeros(unsigned crc, unsigned n) {
  unsigned power = 0x00800000, product = crc; // x^8, reflected
  auto multiply = [](unsigned a, unsigned b) {
    unsigned p = 0;
    for (int i = 31; i >= 0; --i) {
      p ^= a >> i & 1 ? b : 0;
      b = b >> 1 ^ (b & 1 ? 0xedb88320u : 0);
    }
    return p;
  };
  for (; n; n >>= 1, power = multiply(power, power))
    if (n & 1)
      product = multiply(power, product);
  return product;
}
/// One workgroup: a table in LDS, every thread its piece, pieces combined.
__global__ void crc32(const uint8_t *data, unsigned n, unsigned *out) {
  __shared__ unsigned table[256], total;
  const unsigned t = threadIdx.x, piece = (n + 255) / 256;
  table[t] = crcByte(0, t);
  if (t == 0)
    total = 0;
  __syncthreads();
  const unsigned begin = min(n, t * piece), end = min(n, begin + piece);
  unsigned crc = t == 0 ? ~0u : 0;
  for (unsigned i = begin; i < end; ++i)
    crc = table[(crc ^ data[i]) & 255] ^ crc >> 8;
  atomicXor(&total, appendZeros(crc, n - end));
  __syncthreads();
  if (t == 0)
    *out = ~total;
}

int main() {
  unsigned constants[64];
  for (int n = 2, k = 0; k < 64; ++n) {
    bool prime = true;
    for (int d = 2; d * d <= n; ++d)
      prime &= n % d != 0;
    if (prime) {
      const long double root = std::cbrt((long double)n);
      constants[k++] = unsigned((unsigned long long)((root - std::floor(root)) * 4294967296.0L));
    }
  }
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(roundConstants), constants, sizeof constants));
  unsigned abc[8]; // FIPS 180-4's example
  sha256(reinterpret_cast<const uint8_t *>("abc"), 3, abc, constants);
  EXPECT(abc[0] == 0xba7816bf && abc[7] == 0xf20015ad);

  const unsigned count = 200;
  const auto data = randomBelow<uint8_t>(2 * count, 256, 1);
  Device<uint8_t> dData(data);
  Device<unsigned> out(8 * count);
  hashAll<<<(count + 63) / 64, 64>>>(dData, out, count);
  std::vector<unsigned> want(8 * count);
  for (unsigned i = 0; i < count; ++i)
    sha256(data.data() + i, i, &want[8 * i], constants);
  expectSame("SHA-256", out.host(), want);

  const std::string check = "123456789";
  for (unsigned n : {9u, 1u, 255u, 20000u}) {
    auto bytes = randomBelow<uint8_t>(n, 256, n);
    if (n == 9)
      bytes.assign(check.begin(), check.end());
    unsigned crc = ~0u;
    for (uint8_t b : bytes)
      crc = crcByte(crc, b);
    Device<uint8_t> d(bytes);
    Device<unsigned> result(1);
    crc32<<<1, 256>>>(d, n, result);
    expectSame("CRC-32", result.host(), {~crc});
    if (n == 9)
      EXPECT(~crc == 0xcbf43926);
  }
  return verdict();
}
