// Every kind of copy and fill that needs no array object: pageable, pinned, device to device, peer
// to itself, 2D and 3D with pitches and offsets, symbols, driver-style, default direction. Each
// moves a pattern and the destination is compared with the same move made by the host.
#include "check.h"

__device__ int deviceTable[64];
__constant__ short constantTable[128];

__global__ void readTables(int *out, short *shorts) {
  out[threadIdx.x] = deviceTable[threadIdx.x];
  deviceTable[threadIdx.x] *= -1;
  shorts[threadIdx.x] = constantTable[threadIdx.x + 64];
}

static std::vector<uint8_t> pattern(size_t bytes, uint64_t seed) {
  return randomBelow<uint8_t>(bytes, 256, seed);
}

/// A pitched rectangle moved inside two larger ones; what lies around it must not change.
static void rectangles(hipStream_t stream) {
  const size_t width = 37, height = 19, fromPitch = 64, toPitch = 53;
  const auto from = pattern(fromPitch * height, 1), to = pattern(toPitch * height, 2);
  auto want = to;
  for (size_t y = 0; y < height; ++y)
    std::memcpy(&want[y * toPitch], &from[y * fromPitch], width);
  Device<uint8_t> source(from), target(to);
  HIP(hipMemcpy2DAsync(target, toPitch, source, fromPitch, width, height, hipMemcpyDeviceToDevice,
                       stream));
  HIP(hipStreamSynchronize(stream));
  expectSame("2D device to device", target.host(), want);
  auto host = to;
  HIP(hipMemcpy2D(host.data(), toPitch, source, fromPitch, width, height, hipMemcpyDeviceToHost));
  expectSame("2D device to host", host, want);
  Device<uint8_t> again(to);
  HIP(hipMemcpy2D(again, toPitch, from.data(), fromPitch, width, height, hipMemcpyHostToDevice));
  expectSame("2D host to device", again.host(), want);

  HIP(hipMemset2D(again, toPitch, 0x3c, width, height));
  for (size_t y = 0; y < height; ++y)
    std::memset(&want[y * toPitch], 0x3c, width);
  expectSame("2D fill", again.host(), want);
}

/// A box moved between two 3D blocks at different offsets.
static void boxes() {
  const size_t row = 24, rows = 10, slices = 6, bytes = row * rows * slices;
  const size_t w = 9, h = 5, d = 3;
  const auto from = pattern(bytes, 3), to = pattern(bytes, 4);
  auto want = to;
  auto at = [&](size_t x, size_t y, size_t z) { return (z * rows + y) * row + x; };
  for (size_t z = 0; z < d; ++z)
    for (size_t y = 0; y < h; ++y)
      for (size_t x = 0; x < w; ++x)
        want[at(x + 7, y + 4, z + 2)] = from[at(x + 3, y + 1, z + 1)];
  Device<uint8_t> source(from), target(to);
  hipMemcpy3DParms box = {};
  box.srcPtr = make_hipPitchedPtr(source.get(), row, row, rows);
  box.dstPtr = make_hipPitchedPtr(target.get(), row, row, rows);
  box.srcPos = make_hipPos(3, 1, 1);
  box.dstPos = make_hipPos(7, 4, 2);
  box.extent = make_hipExtent(w, h, d);
  box.kind = hipMemcpyDeviceToDevice;
  HIP(hipMemcpy3D(&box));
  expectSame("3D device to device", target.host(), want);

  int images = 0; // hipMalloc3D asks how large images may be: gfx942 has none
  HIP(hipDeviceGetAttribute(&images, hipDeviceAttributeImageSupport, 0));
  if (!images)
    return;
  hipPitchedPtr filled;
  HIP(hipMalloc3D(&filled, make_hipExtent(20, 7, 4)));
  HIP(hipMemset3D(filled, 0x5a, make_hipExtent(20, 7, 4)));
  std::vector<uint8_t> got(20 * 7 * 4);
  hipMemcpy3DParms back = {};
  back.srcPtr = filled;
  back.dstPtr = make_hipPitchedPtr(got.data(), 20, 20, 7);
  back.extent = make_hipExtent(20, 7, 4);
  back.kind = hipMemcpyDeviceToHost;
  HIP(hipMemcpy3D(&back));
  expectSame("3D fill", got, std::vector<uint8_t>(got.size(), 0x5a));
  HIP(hipFree(filled.ptr));
}

/// Odd sizes and offsets, all directions, pageable and pinned.
static void lines(hipStream_t stream) {
  const size_t bytes = 100003;
  const auto from = pattern(bytes, 5);
  uint8_t *pinned = nullptr;
  HIP(hipHostMalloc(&pinned, bytes));
  Device<uint8_t> a(bytes), b(bytes), c(bytes);
  std::memcpy(pinned, from.data(), bytes);
  HIP(hipMemcpyAsync(a, pinned, bytes, hipMemcpyHostToDevice, stream));
  HIP(hipMemcpyPeerAsync(b, 0, a, 0, bytes, stream));
  HIP(hipMemcpyAsync(c, b, bytes, hipMemcpyDefault, stream));
  HIP(hipMemsetAsync(a, 0, bytes, stream));
  HIP(hipStreamSynchronize(stream));
  std::memset(pinned, 0, bytes);
  HIP(hipMemcpyPeer(a, 0, c, 0, bytes));
  HIP(hipMemcpyWithStream(pinned, a, bytes, hipMemcpyDeviceToHost, stream));
  EXPECT(std::memcmp(pinned, from.data(), bytes) == 0);

  auto want = std::vector<uint8_t>(bytes, 0xa5);
  Device<uint8_t> pieces(bytes);
  for (size_t offset : {size_t(0), size_t(1), size_t(4093), size_t(70001)}) {
    const size_t size = offset % 3000 + 17;
    HIP(hipMemcpyDtoD(pieces.get() + offset, c.get() + offset + 5, size));
    std::memcpy(&want[offset], &from[offset + 5], size);
  }
  HIP(hipMemsetD8(pieces.get() + 90001, 0x11, 333));
  HIP(hipMemsetD16(pieces.get() + 92000, 0x2233, 77));
  HIP(hipMemsetD32(pieces.get() + 94000, 0x44556677, 55));
  for (int i = 0; i < 333; ++i)
    want[90001 + i] = 0x11;
  for (int i = 0; i < 77; ++i)
    want[92000 + 2 * i] = 0x33, want[92001 + 2 * i] = 0x22;
  for (int i = 0; i < 220; ++i)
    want[94000 + i] = uint8_t(0x77 - 0x11 * (i % 4));
  expectSame("pieces and fills", pieces.host(), want);
  HIP(hipHostFree(pinned));
}

static void symbols() {
  std::vector<int> values(64), got(64);
  for (int i = 0; i < 64; ++i)
    values[i] = i * i - 7;
  const auto shorts = randomBelow<short>(128, 30000, 6);
  Device<int> out(64);
  Device<short> outShorts(64);
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(deviceTable), values.data(), 32 * sizeof(int)));
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(deviceTable), values.data() + 32, 32 * sizeof(int),
                        32 * sizeof(int)));
  HIP(hipMemcpyToSymbolAsync(HIP_SYMBOL(constantTable), shorts.data(), 256, 0,
                             hipMemcpyHostToDevice, nullptr));
  readTables<<<1, 64>>>(out, outShorts);
  expectSame("device symbol", out.host(), values);
  expectSame("constant symbol", outShorts.host(),
             std::vector<short>(shorts.begin() + 64, shorts.end()));
  HIP(hipMemcpyFromSymbol(got.data(), HIP_SYMBOL(deviceTable), sizeof(int) * 64));
  for (int &value : values)
    value = -value;
  expectSame("from symbol", got, values);
  void *address = nullptr;
  size_t size = 0;
  HIP(hipGetSymbolAddress(&address, HIP_SYMBOL(deviceTable)));
  HIP(hipGetSymbolSize(&size, HIP_SYMBOL(deviceTable)));
  EXPECT(size == 64 * sizeof(int));
  int third = 0;
  HIP(hipMemcpyDtoH(&third, static_cast<int *>(address) + 3, sizeof(int)));
  EXPECT(third == values[3]);
}

int main() {
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  lines(stream);
  rectangles(stream);
  boxes();
  symbols();
  HIP(hipStreamDestroy(stream));
  return verdict();
}
