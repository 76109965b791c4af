// Ray tracing: spheres of three materials. Every ray finds its nearest sphere, then shades by
// material: matt, shiny with a highlight, or a mirror whose reflected ray is traced once more.
// Which arm a thread takes depends on what it hits.
#include "harness.h"

#include <cmath>

struct Sphere {
  float x, y, z, radius;
  int material;
  float colour;
};

struct Ray {
  float ox, oy, oz, dx, dy, dz;
};

__device__ inline int nearest(const Sphere *spheres, int count, const Ray &r, float &t) {
  int hit = -1;
  t = 1e30f;
  for (int i = 0; i < count; ++i) {
    const Sphere &s = spheres[i];
    const float x = r.ox - s.x, y = r.oy - s.y, z = r.oz - s.z;
    const float b = x * r.dx + y * r.dy + z * r.dz;
    const float c = x * x + y * y + z * z - s.radius * s.radius;
    const float discriminant = b * b - c;
    if (discriminant > 0) { // divergent: branch
      const float distance = -b - sqrtf(discriminant);
      if (distance > 0.001f && distance < t) {
        t = distance;
        hit = i;
      }
    }
  }
  return hit;
}

__device__ inline float shade(const Sphere *spheres, int count, Ray r) {
  float weight = 1, colour = 0;
  for (int bounce = 0; bounce < 3; ++bounce) {
    float t;
    const int hit = nearest(spheres, count, r, t);
    if (hit < 0) // divergent: branch
      return colour + weight * (0.2f + 0.1f * r.dy);
    const Sphere &s = spheres[hit];
    const float px = r.ox + t * r.dx, py = r.oy + t * r.dy, pz = r.oz + t * r.dz;
    const float nx = (px - s.x) / s.radius, ny = (py - s.y) / s.radius, nz = (pz - s.z) / s.radius;
    const float lx = 0.48f, ly = 0.6f, lz = -0.64f;
    if (s.material == 0) { // matt
      float light = nx * lx + ny * ly + nz * lz;
      if (light < 0)
        light = 0;
      return colour + weight * s.colour * (0.2f + 0.8f * light);
    }
    if (s.material == 1) { // shiny
      float light = nx * lx + ny * ly + nz * lz;
      if (light < 0)
        light = 0;
      float glance = light * light;
      glance *= glance;
      return colour + weight * (s.colour * (0.2f + 0.6f * light) + 0.5f * glance * glance);
    }
    const float along = 2 * (r.dx * nx + r.dy * ny + r.dz * nz);
    r = {px, py, pz, r.dx - along * nx, r.dy - along * ny, r.dz - along * nz};
    colour += weight * 0.1f * s.colour;
    weight *= 0.7f;
  }
  return colour;
}

__device__ inline Ray camera(int x, int y, int width, int height) {
  const float u = (static_cast<float>(x) + 0.5f) / static_cast<float>(width) * 2 - 1;
  const float v = (static_cast<float>(y) + 0.5f) / static_cast<float>(height) * 2 - 1;
  const float length = sqrtf(u * u + v * v + 4);
  return {0, 0, -6, u / length, v / length, 2 / length};
}

__global__ void render(const Sphere *spheres, int count, float *image, int width, int height) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < width && y < height)
    image[y * width + x] = shade(spheres, count, camera(x, y, width, height));
}

/// By other means and in double: the point of the ray closest to a sphere's centre decides whether
/// it hits, and a mirror asks again by recursion.
struct Vector {
  double x, y, z;
  Vector operator+(const Vector &o) const { return {x + o.x, y + o.y, z + o.z}; }
  Vector operator-(const Vector &o) const { return {x - o.x, y - o.y, z - o.z}; }
  Vector operator*(double s) const { return {x * s, y * s, z * s}; }
  double dot(const Vector &o) const { return x * o.x + y * o.y + z * o.z; }
};

static double reference(const std::vector<Sphere> &spheres, const Vector &from, const Vector &to,
                        int bounces) {
  if (bounces == 0)
    return 0;
  const Sphere *hit = nullptr;
  double nearest = INFINITY;
  for (const Sphere &s : spheres) {
    const Vector centre{s.x, s.y, s.z};
    const double along = (centre - from).dot(to);
    const Vector aside = centre - (from + to * along);
    const double inside = double(s.radius) * s.radius - aside.dot(aside);
    const double distance = inside > 0 ? along - std::sqrt(inside) : 0;
    if (distance > 0.001 && distance < nearest) {
      nearest = distance;
      hit = &s;
    }
  }
  if (!hit)
    return 0.2 + 0.1 * to.y;
  const Vector at = from + to * nearest,
               normal = (at - Vector{hit->x, hit->y, hit->z}) * (1 / double(hit->radius));
  const double light = std::max(0.0, normal.dot({0.48, 0.6, -0.64}));
  switch (hit->material) {
  case 0:
    return hit->colour * (0.2 + 0.8 * light);
  case 1:
    return hit->colour * (0.2 + 0.6 * light) + 0.5 * std::pow(light, 8);
  default:
    return 0.1 * hit->colour +
           0.7 * reference(spheres, at, to - normal * (2 * to.dot(normal)), bounces - 1);
  }
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {64, 512, "columns"});
  bench::Verdicts verdicts("raytrace");
  const int width = static_cast<int>(o.sizeInMultiplesOf(2)), height = width / 2, count = 12;
  bench::Random random(o.seed);
  std::vector<Sphere> spheres;
  for (int i = 0; i < count; ++i)
    spheres.push_back({4 * random.unit() - 2, 3 * random.unit() - 1.5f, 4 * random.unit() - 2,
                       0.3f + 0.5f * random.unit(), static_cast<int>(random.below(3)),
                       0.3f + 0.7f * random.unit()});
  bench::DeviceBuffer<Sphere> dSpheres(spheres);
  bench::DeviceBuffer<float> image(static_cast<size_t>(width * height));
  render<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(dSpheres.get(), count,
                                                                        image.get(), width, height);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  // At a silhouette or after a mirror the last bit decides what is hit; such pixels are few.
  const auto got = image.download();
  size_t different = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const Vector aim{(x + 0.5) / width * 2 - 1, (y + 0.5) / height * 2 - 1, 2};
      const double want = reference(spheres, {0, 0, -6}, aim * (1 / std::sqrt(aim.dot(aim))), 3);
      const float have = got[static_cast<size_t>(y * width + x)];
      different += !(std::fabs(have - want) <= 1e-3f);
    }
  const std::string label = "width=" + std::to_string(width);
  if (different * 200 > got.size())
    verdicts.fail(label, std::to_string(different) + " pixels differ");
  else
    verdicts.expectEqual(label, std::vector<size_t>{different}, {different});
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
