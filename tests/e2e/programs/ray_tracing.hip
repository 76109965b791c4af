// A small ray tracer: spheres and a plane, hard shadows, reflections by a loop with early exits.
// Same code on host and device, no contraction: colours bit for bit. And ray-triangle hits counted
// against exact geometry.
#include "check.h"

struct Vector {
  float x, y, z;
};
__host__ __device__ inline Vector operator+(Vector a, Vector b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
__host__ __device__ inline Vector operator-(Vector a, Vector b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
__host__ __device__ inline Vector operator*(Vector a, float s) {
  return {a.x * s, a.y * s, a.z * s};
}
__host__ __device__ inline float dot(Vector a, Vector b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
__host__ __device__ inline Vector cross(Vector a, Vector b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
__host__ __device__ inline Vector unit(Vector a) { return a * (1.0f / std::sqrt(dot(a, a))); }

struct Sphere {
  Vector centre;
  float radius, mirror;
  Vector colour;
};

__host__ __device__ inline bool hitSphere(const Sphere &s, Vector from, Vector along, float &t) {
  const Vector o = from - s.centre;
  const float b = dot(o, along), c = dot(o, o) - s.radius * s.radius, d = b * b - c;
  if (d < 0)
    return false;
  const float root = std::sqrt(d);
  const float candidate = -b - root > 1e-3f ? -b - root : -b + root;
  if (candidate <= 1e-3f || candidate >= t)
    return false;
  t = candidate;
  return true;
}

__host__ __device__ inline Vector trace(const Sphere *spheres, int n, Vector from, Vector along) {
  const Vector light = unit({1, 2, -1});
  Vector colour = {0, 0, 0};
  float weight = 1;
  for (int bounce = 0; bounce < 5 && weight > 0.01f; ++bounce) {
    float t = 1e30f;
    int hit = -1;
    for (int k = 0; k < n; ++k)
      if (hitSphere(spheres[k], from, along, t))
        hit = k;
    const float floor = along.y < 0 ? (-1 - from.y) / along.y : 1e30f;
    if (hit < 0 && floor >= 1e30f) { // sky
      return colour + Vector{0.5f, 0.7f, 1} * (weight * (0.5f + 0.5f * along.y));
    }
    Vector normal, base;
    float mirror;
    if (floor < t && floor > 1e-3f) {
      from = from + along * floor;
      normal = {0, 1, 0};
      const int tile = int(std::floor(from.x)) + int(std::floor(from.z));
      base = tile & 1 ? Vector{0.9f, 0.9f, 0.9f} : Vector{0.1f, 0.1f, 0.1f};
      mirror = 0.2f;
    } else if (hit >= 0) {
      from = from + along * t;
      normal = unit(from - spheres[hit].centre);
      base = spheres[hit].colour;
      mirror = spheres[hit].mirror;
    } else
      break;
    float shade = dot(normal, light);
    if (shade > 0)
      for (int k = 0; k < n; ++k) {
        float far = 1e30f;
        if (hitSphere(spheres[k], from, light, far)) {
          shade = 0;
          break;
        }
      }
    const float lit = 0.15f + (shade > 0 ? shade : 0);
    colour = colour + base * (weight * (1 - mirror) * lit);
    weight *= mirror;
    along = along - normal * (2 * dot(along, normal));
  }
  return colour;
}
__host__ __device__ inline Vector camera(int x, int y, int w, int h) {
  return unit({(x - w * 0.5f) / w, (h * 0.5f - y) / w, 1});
}
__global__ void render(const Sphere *spheres, int n, Vector *out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[y * w + x] = trace(spheres, n, {0, 0, -4}, camera(x, y, w, h));
}
/// Moeller and Trumbore.
__global__ void triangles(const Vector *corners, int count, const Vector *targets, int *hits,
                          int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int found = 0;
  for (int t = 0; t < count; ++t) {
    const Vector a = corners[3 * t], e1 = corners[3 * t + 1] - a, e2 = corners[3 * t + 2] - a;
    const Vector p = cross(targets[i], e2);
    const float det = dot(e1, p);
    if (fabsf(det) < 1e-9f)
      continue;
    const Vector s = Vector{0, 0, 0} - a, q = cross(s, e1);
    const float u = dot(s, p) / det, v = dot(targets[i], q) / det;
    if (u < 0 || v < 0 || u + v > 1 || dot(e2, q) / det <= 0)
      continue;
    ++found;
  }
  hits[i] = found;
}

int main() {
  const int w = 64, h = 48, n = 9;
  Random random(1);
  std::vector<Sphere> spheres(n);
  for (Sphere &s : spheres) {
    auto r = [&](double a, double b) { return float(random.in(a, b)); };
    s = {{r(-2, 2), r(-0.8, 1.5), r(-1, 4)}, r(0.2, 0.8), r(0, 0.9), {r(0, 1), r(0, 1), r(0, 1)}};
  }
  Device<Sphere> scene(spheres);
  Device<Vector> image(w * h);
  render<<<dim3(w / 16, h / 8), dim3(16, 8)>>>(scene, n, image, w, h);
  std::vector<Vector> want;
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      want.push_back(trace(spheres.data(), n, {0, 0, -4}, camera(x, y, w, h)));
  expectSame("image", image.host(), want);

  // Rays from the origin against integer triangles: the signs of three determinants decide.
  const int count = 40, rays = 500;
  std::vector<Vector> corners, targets;
  for (int k = 0; k < 3 * count; ++k)
    corners.push_back({float(int(random.below(41)) - 20), float(int(random.below(41)) - 20),
                       float(5 + int(random.below(20)))});
  std::vector<int> exact(rays, 0);
  for (int i = 0; i < rays; ++i) {
    long long d[3] = {int(random.below(801)) - 400, int(random.below(801)) - 400, 401};
    targets.push_back({float(d[0]), float(d[1]), float(d[2])});
    for (int t = 0; t < count; ++t) {
      auto side = [&](int from, int to) {
        const Vector &a = corners[3 * t + from], &b = corners[3 * t + to];
        const double c = d[0] * (double(a.y) * b.z - double(a.z) * b.y) +
                         d[1] * (double(a.z) * b.x - double(a.x) * b.z) +
                         d[2] * (double(a.x) * b.y - double(a.y) * b.x);
        return c > 0 ? 1 : c < 0 ? -1 : 0;
      };
      const int a = side(0, 1), b = side(1, 2), c = side(2, 0);
      if (a * b * c == 0) // through an edge or a corner: either answer is right
        exact[i] = -1000;
      exact[i] += a * b > 0 && b * c > 0;
    }
  }
  Device<Vector> dCorners(corners), dTargets(targets);
  Device<int> hits(rays);
  triangles<<<(rays + 127) / 128, 128>>>(dCorners, count, dTargets, hits, rays);
  const auto got = hits.host();
  int different = 0, clear = 0, hit = 0;
  for (int i = 0; i < rays; ++i)
    if (exact[i] >= 0) {
      ++clear;
      hit += exact[i];
      different += got[i] != exact[i];
    }
  EXPECT(different == 0);
  EXPECT(clear > rays / 2 && hit > rays / 10);
  return verdict();
}
