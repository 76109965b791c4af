// AES-128: key expansion, encryption in counter mode and block by block, decryption back, tables in
// LDS filled by the workgroup (S-box computed in GF(256), not pasted). Reference: FIPS 197's
// example vector and a byte-wise host version.
#include "check.h"

#include <algorithm>

__host__ __device__ inline uint8_t times(uint8_t a, uint8_t b) {
  uint8_t p = 0;
  for (int i = 0; i < 8; ++i) {
    p ^= b & 1 ? a : 0;
    a = uint8_t(a << 1) ^ (a & 0x80 ? 0x1b : 0);
    b >>= 1;
  }
  return p;
}
__host__ __device__ inline uint8_t substitute(uint8_t a) {
  uint8_t inverse = 1; // a^254
  for (int i = 0; i < 7; ++i)
    inverse = times(times(inverse, inverse), a);
  inverse = times(inverse, inverse);
  uint8_t s = 0x63;
  for (int i = 0; i < 5; ++i)
    s ^= uint8_t(inverse << i | inverse >> (8 - i));
  return s;
}

/// The state is 16 bytes, column by column.
template <class Box>
__host__ __device__ void encrypt(uint8_t *s, const uint8_t *keys, const Box &box) {
  for (int i = 0; i < 16; ++i)
    s[i] ^= keys[i];
  for (int round = 1; round <= 10; ++round) {
    uint8_t t[16];
    for (int i = 0; i < 16; ++i)
      t[i] = box[s[(i + 4 * (i % 4)) % 16]];
    for (int c = 0; c < 16; c += 4)
      for (int r = 0; r < 4; ++r)
        s[c + r] = (round == 10 ? t[c + r]
                                : times(t[c + r], 2) ^ times(t[c + (r + 1) % 4], 3) ^
                                      t[c + (r + 2) % 4] ^ t[c + (r + 3) % 4]) ^
                   keys[16 * round + c + r];
  }
}
__device__ void decrypt(uint8_t *s, const uint8_t *keys, const uint8_t *inverse) {
  for (int round = 10; round >= 1; --round) {
    uint8_t t[16];
    for (int i = 0; i < 16; ++i)
      t[i] = s[i] ^ keys[16 * round + i];
    if (round < 10) {
      uint8_t m[16];
      for (int c = 0; c < 16; c += 4)
        for (int r = 0; r < 4; ++r)
          m[c + r] = times(t[c + r], 14) ^ times(t[c + (r + 1) % 4], 11) ^
                     times(t[c + (r + 2) % 4], 13) ^ times(t[c + (r + 3) % 4], 9);
      for (int i = 0; i < 16; ++i)
        t[i] = m[i];
    }
    for (int i = 0; i < 16; ++i)
      s[(i + 4 * (i % 4)) % 16] = inverse[t[i]];
  }
  for (int i = 0; i < 16; ++i)
    s[i] ^= keys[i];
}
template <class Box>
__host__ __device__ void expand(const uint8_t *key, uint8_t *keys, const Box &box) {
  for (int i = 0; i < 16; ++i)
    keys[i] = key[i];
  uint8_t constant = 1;
  for (int i = 16; i < 176; i += 4) {
    uint8_t t[4] = {keys[i - 4], keys[i - 3], keys[i - 2], keys[i - 1]};
    if (i % 16 == 0) {
      const uint8_t first = t[0];
      t[0] = box[t[1]] ^ constant, t[1] = box[t[2]], t[2] = box[t[3]], t[3] = box[first];
      constant = times(constant, 2);
    }
    for (int k = 0; k < 4; ++k)
      keys[i + k] = keys[i + k - 16] ^ t[k];
  }
}

__global__ void cipher(const uint8_t *in, uint8_t *blocks, uint8_t *counter, uint8_t *back,
                       const uint8_t *key, int n) {
  __shared__ uint8_t box[256], inverse[256], keys[176];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    box[i] = substitute(uint8_t(i));
    inverse[box[i]] = uint8_t(i);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    expand(key, keys, box);
  __syncthreads();
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= n)
    return;
  uint8_t s[16], pad[16] = {};
  for (int i = 0; i < 16; ++i)
    s[i] = in[16 * b + i];
  encrypt(s, keys, box);
  for (int i = 0; i < 16; ++i)
    blocks[16 * b + i] = s[i];
  pad[15] = uint8_t(b), pad[14] = uint8_t(b >> 8);
  encrypt(pad, keys, box);
  for (int i = 0; i < 16; ++i)
    counter[16 * b + i] = in[16 * b + i] ^ pad[i];
  decrypt(s, keys, inverse);
  for (int i = 0; i < 16; ++i)
    back[16 * b + i] = s[i];
}

int main() {
  const int n = 300;
  auto in = randomBelow<uint8_t>(16 * n, 256, 1);
  std::vector<uint8_t> key(16), box(256), keys(176), blocks = in, counter = in;
  for (int i = 0; i < 16; ++i) { // FIPS 197, appendix C.1
    key[i] = uint8_t(i);
    blocks[i] = in[i] = counter[i] = uint8_t(0x11 * i);
  }
  for (int i = 0; i < 256; ++i)
    box[i] = substitute(uint8_t(i));
  EXPECT(box[0] == 0x63 && box[0x53] == 0xed);
  expand(key.data(), keys.data(), box);
  for (int b = 0; b < n; ++b) {
    encrypt(&blocks[16 * b], keys.data(), box);
    uint8_t pad[16] = {};
    pad[15] = uint8_t(b), pad[14] = uint8_t(b >> 8);
    encrypt(pad, keys.data(), box);
    for (int i = 0; i < 16; ++i)
      counter[16 * b + i] ^= pad[i];
  }
  const uint8_t published[16] = {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                                 0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};
  EXPECT(std::equal(published, published + 16, blocks.begin()));
  Device<uint8_t> dIn(in), dBlocks(16 * n), dCounter(16 * n), back(16 * n), dKey(key);
  cipher<<<(n + 63) / 64, 64>>>(dIn, dBlocks, dCounter, back, dKey, n);
  expectSame("blocks", dBlocks.host(), blocks);
  expectSame("counter mode", dCounter.host(), counter);
  expectSame("decrypted", back.host(), in);
  return verdict();
}
