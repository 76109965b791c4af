// Gravitation of n bodies, tiles of positions in LDS, leapfrog steps, f32 and f64. Reference: the
// same sums in the same order on the host, bit for bit;
// momentum is conserved.
#include "check.h"

template <class T> struct Body {
  T x, y, z, mass;
};

template <class T> __host__ __device__ void pull(const Body<T> &on, const Body<T> &by, T a[3]) {
  const T dx = by.x - on.x, dy = by.y - on.y, dz = by.z - on.z;
  const T square = dx * dx + dy * dy + dz * dz + T(0.01);
  const T inverse = 1 / std::sqrt(square);
  const T s = by.mass * inverse * inverse * inverse;
  a[0] += dx * s, a[1] += dy * s, a[2] += dz * s;
}

template <class T>
__global__ void step(const Body<T> *bodies, Body<T> *out, Body<T> *velocities, int n, T dt) {
  __shared__ Body<T> tile[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  const Body<T> me = i < n ? bodies[i] : Body<T>{};
  T a[3] = {};
  for (int base = 0; base < n; base += 64) {
    if (base + int(threadIdx.x) < n)
      tile[threadIdx.x] = bodies[base + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < min(64, n - base); ++k)
      pull(me, tile[k], a);
    __syncthreads();
  }
  if (i < n) {
    Body<T> v = velocities[i];
    v.x += a[0] * dt, v.y += a[1] * dt, v.z += a[2] * dt;
    velocities[i] = v;
    out[i] = {me.x + v.x * dt, me.y + v.y * dt, me.z + v.z * dt, me.mass};
  }
}

template <class T> static void check(const char *type) {
  const int n = 100;
  Random random(1);
  std::vector<Body<T>> bodies(n), velocities(n);
  for (int i = 0; i < n; ++i) {
    bodies[i] = {T(random.in(-1, 1)), T(random.in(-1, 1)), T(random.in(-1, 1)),
                 T(random.in(0.1, 1))};
    velocities[i] = {T(random.in(-1, 1)), T(random.in(-1, 1)), T(random.in(-1, 1)), 0};
  }
  auto momentum = [&](const std::vector<Body<T>> &v) {
    double p = 0;
    for (int i = 0; i < n; ++i)
      p += double(v[i].x) * bodies[i].mass;
    return p;
  };
  const double before = momentum(velocities);
  Device<Body<T>> a(bodies), b(n), v(velocities);
  for (int s = 0; s < 4; ++s) {
    step<T><<<(n + 63) / 64, 64>>>(s % 2 ? b : a, s % 2 ? a : b, v, n, T(0.01));
    auto next = bodies;
    for (int i = 0; i < n; ++i) {
      T acceleration[3] = {};
      for (int k = 0; k < n; ++k)
        pull(bodies[i], bodies[k], acceleration);
      Body<T> &w = velocities[i];
      w.x += acceleration[0] * T(0.01), w.y += acceleration[1] * T(0.01),
          w.z += acceleration[2] * T(0.01);
      next[i] = {bodies[i].x + w.x * T(0.01), bodies[i].y + w.y * T(0.01),
                 bodies[i].z + w.z * T(0.01), bodies[i].mass};
    }
    bodies = next;
  }
  expectSame(type, a.host(), bodies);
  const auto moved = v.host();
  expectSame(type, moved, velocities);
  EXPECT(std::fabs(momentum(moved) - before) < 1e4 * std::numeric_limits<T>::epsilon());
}

int main() {
  check<float>("f32");
  check<double>("f64");
  return verdict();
}
