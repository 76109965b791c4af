// Order across streams: hipStreamWaitEvent builds a diamond of dependences whose result depends on
// every edge, host callbacks run in stream order, priorities and queries answer.
#include "check.h"

#include <atomic>
#include <chrono>
#include <thread>

// x = 3x + add, repeated: order matters, no two steps commute.
__global__ void step(unsigned *x, int n, unsigned add, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int r = 0; r < rounds; ++r)
      x[i] = 3 * x[i] + add;
}
__global__ void join(const unsigned *a, const unsigned *b, unsigned *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] ^ (b[i] << 1);
}
static unsigned stepped(unsigned x, unsigned add, int rounds) {
  for (int r = 0; r < rounds; ++r)
    x = 3 * x + add;
  return x;
}

/// a -> (b, c) -> join, ten times over, each in its own stream.
static void diamond() {
  const int n = 700, blocks = (n + 127) / 128;
  hipStream_t streams[3];
  for (auto &s : streams)
    HIP(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
  hipEvent_t top, left, right, joined;
  for (hipEvent_t *e : {&top, &left, &right, &joined})
    HIP(hipEventCreateWithFlags(e, hipEventDisableTiming));
  std::vector<unsigned> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = i;
  Device<unsigned> x(host), l(n), r(n);
  for (int round = 0; round < 10; ++round) {
    step<<<blocks, 128, 0, streams[0]>>>(x, n, 7 + round, 20);
    HIP(hipEventRecord(top, streams[0]));
    HIP(hipStreamWaitEvent(streams[1], top, 0));
    HIP(hipStreamWaitEvent(streams[2], top, 0));
    HIP(hipMemcpyAsync(l, x, n * 4, hipMemcpyDeviceToDevice, streams[1]));
    step<<<blocks, 128, 0, streams[1]>>>(l, n, 1, 50);
    HIP(hipMemcpyAsync(r, x, n * 4, hipMemcpyDeviceToDevice, streams[2]));
    step<<<blocks, 128, 0, streams[2]>>>(r, n, 2, 5);
    HIP(hipEventRecord(left, streams[1]));
    HIP(hipEventRecord(right, streams[2]));
    HIP(hipStreamWaitEvent(streams[0], left, 0));
    HIP(hipStreamWaitEvent(streams[0], right, 0));
    join<<<blocks, 128, 0, streams[0]>>>(l, r, x, n);
    // l and r are written again next round, by other streams
    HIP(hipEventRecord(joined, streams[0]));
    HIP(hipStreamWaitEvent(streams[1], joined, 0));
    HIP(hipStreamWaitEvent(streams[2], joined, 0));
    for (unsigned &v : host) {
      v = stepped(v, 7 + round, 20);
      v = stepped(v, 1, 50) ^ (stepped(v, 2, 5) << 1);
    }
  }
  HIP(hipStreamSynchronize(streams[0]));
  EXPECT(hipEventQuery(joined) == hipSuccess);
  expectSame("diamond", x.host(), host);
  for (hipEvent_t e : {top, left, right, joined})
    HIP(hipEventDestroy(e));
  for (auto &s : streams)
    HIP(hipStreamDestroy(s));
}

struct Log {
  std::atomic<int> next{0};
  int order[4] = {-1, -1, -1, -1};
  unsigned *seen;
  unsigned value = 0;
};

/// Host code between two kernels of one stream sees the first one's result and the second one
/// waits.
static void callbacks() {
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  unsigned *shared;
  HIP(hipHostMalloc(&shared, sizeof(unsigned)));
  *shared = 5;
  Log log;
  log.seen = shared;
  step<<<1, 1, 0, stream>>>(shared, 1, 11, 9);
  HIP(hipStreamAddCallback(
      stream,
      [](hipStream_t, hipError_t, void *p) {
        Log &l = *static_cast<Log *>(p);
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        l.value = *l.seen;
        *l.seen = 1000;
        l.order[l.next++] = 0;
      },
      &log, 0));
  step<<<1, 1, 0, stream>>>(shared, 1, 1, 3);
  HIP(hipStreamAddCallback(
      stream,
      [](hipStream_t, hipError_t status, void *p) {
        Log &l = *static_cast<Log *>(p);
        l.order[l.next++] = status == hipSuccess ? 1 : 9;
      },
      &log, 0));
  HIP(hipStreamSynchronize(stream));
  while (log.next < 2) // a callback may end just after the stream is idle
    std::this_thread::yield();
  EXPECT(log.value == stepped(5, 11, 9));
  EXPECT(log.order[0] == 0 && log.order[1] == 1);
  EXPECT(*shared == stepped(1000, 1, 3));
  HIP(hipHostFree(shared));
  HIP(hipStreamDestroy(stream));
}

/// The null stream waits for blocking streams and they for it.
static void nullStream() {
  const int n = 500;
  hipStream_t a, b;
  int least = 0, greatest = 0;
  HIP(hipDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT(greatest <= least);
  HIP(hipStreamCreateWithPriority(&a, hipStreamDefault, greatest));
  HIP(hipStreamCreateWithPriority(&b, hipStreamDefault, least));
  int priority = 99;
  HIP(hipStreamGetPriority(a, &priority));
  EXPECT(priority == greatest);
  Device<unsigned> x(std::vector<unsigned>(n, 1));
  step<<<4, 128, 0, a>>>(x, n, 1, 100);
  step<<<4, 128>>>(x, n, 2, 100);
  step<<<4, 128, 0, b>>>(x, n, 3, 100);
  step<<<4, 128>>>(x, n, 4, 1);
  HIP(hipDeviceSynchronize());
  EXPECT(hipStreamQuery(a) == hipSuccess && hipStreamQuery(b) == hipSuccess);
  const unsigned want = stepped(stepped(stepped(stepped(1, 1, 100), 2, 100), 3, 100), 4, 1);
  expectSame("null stream", x.host(), std::vector<unsigned>(n, want));
  HIP(hipStreamDestroy(a));
  HIP(hipStreamDestroy(b));
}

/// Times of recorded events grow along a stream; a query before the work is done says not ready.
static void events() {
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  std::vector<hipEvent_t> marks(4);
  Device<unsigned> x(std::vector<unsigned>(64, 1));
  for (auto &m : marks) {
    HIP(hipEventCreate(&m));
    step<<<1, 64, 0, stream>>>(x, 64, 1, 200);
    HIP(hipEventRecord(m, stream));
  }
  HIP(hipEventSynchronize(marks[3]));
  float first = -1, all = -1;
  HIP(hipEventElapsedTime(&first, marks[0], marks[1]));
  HIP(hipEventElapsedTime(&all, marks[0], marks[3]));
  EXPECT(first >= 0 && all >= first);
  for (auto &m : marks)
    HIP(hipEventDestroy(m));
  HIP(hipStreamDestroy(stream));
}

int main() {
  diamond();
  callbacks();
  nullStream();
  events();
  return verdict();
}
