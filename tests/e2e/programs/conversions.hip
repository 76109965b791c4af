// Conversions: every pair of arithmetic types by assignment, the rounding intrinsics
// (__float2int_rd,
// __double2uint_rn, ...), bit casts and halves of doubles. The reference rounds exactly in long
// double. Left out: out-of-range values (undefined), __uint2double_rn (takes an int in ROCm 5.2.3).
#include "check.h"

struct Rounded {
  int rd[4], dd[4];
  unsigned ru[4], du[4];
  long long rl[4], dl[4];
  float fromInt, fromUint, fromLong, fromUlong, narrowed;
  double intUp, longUp, ulongUp;
  int high, low, bits;
  double joined;
};
__global__ void convert(const float *fs, const double *ds, const long long *ls, Rounded *out,
                        int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float f = fs[i];
  const double d = ds[i];
  const long long l = ls[i];
  Rounded r;
  r.rd[0] = __float2int_rd(f), r.rd[1] = __float2int_rn(f), r.rd[2] = __float2int_ru(f),
  r.rd[3] = __float2int_rz(f);
  r.dd[0] = __double2int_rd(d), r.dd[1] = __double2int_rn(d), r.dd[2] = __double2int_ru(d),
  r.dd[3] = __double2int_rz(d);
  r.ru[0] = __float2uint_rd(fabsf(f)), r.ru[1] = __float2uint_rn(fabsf(f)),
  r.ru[2] = __float2uint_ru(fabsf(f)), r.ru[3] = __float2uint_rz(fabsf(f));
  r.du[0] = __double2uint_rd(fabs(d)), r.du[1] = __double2uint_rn(fabs(d)),
  r.du[2] = __double2uint_ru(fabs(d)), r.du[3] = __double2uint_rz(fabs(d));
  r.rl[0] = __float2ll_rd(f), r.rl[1] = __float2ll_rn(f), r.rl[2] = __float2ll_ru(f),
  r.rl[3] = __float2ll_rz(f);
  r.dl[0] = __double2ll_rd(d), r.dl[1] = __double2ll_rn(d), r.dl[2] = __double2ll_ru(d),
  r.dl[3] = __double2ll_rz(d);
  r.fromInt = __int2float_rn(int(l)), r.fromUint = __uint2float_rn(unsigned(l));
  r.fromLong = __ll2float_rn(l), r.fromUlong = __ull2float_rn((unsigned long long)l);
  r.narrowed = float(d);
  r.intUp = __int2double_rn(int(l));
  r.longUp = __ll2double_rn(l), r.ulongUp = __ull2double_rn((unsigned long long)l);
  r.high = __double2hiint(d), r.low = __double2loint(d), r.bits = __float_as_int(f);
  r.joined = __hiloint2double(r.high ^ int(0x80000000), r.low);
  out[i] = r;
}

/// Every narrowing and widening of integers through shorter types, and bool.
__global__ void narrow(const long long *ls, long long *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const long long l = ls[i];
  long long *o = out + 10 * i;
  o[0] = (signed char)l, o[1] = (unsigned char)l, o[2] = (short)l, o[3] = (unsigned short)l;
  o[4] = int(l), o[5] = unsigned(l), o[6] = bool(l & 6), o[7] = (signed char)(short)(l >> 7);
  o[8] = (unsigned short)(signed char)l, o[9] = (long long)(float)(short)l;
}

int main() {
  const int n = 3000;
  Random random(1);
  std::vector<float> f;
  std::vector<double> d;
  std::vector<long long> l;
  for (int i = 0; i < n; ++i) {
    const double size = std::exp2(random.in(-3, 30.9));
    f.push_back(float(i % 3 ? random.in(-size, size) : (int(random.below(2000)) - 1000) / 2.0));
    d.push_back(i % 3 ? random.in(-size, size) : (int(random.below(2000)) - 1000) / 2.0);
    l.push_back((long long)random.next() >> random.below(63));
  }
  Device<float> df(f);
  Device<double> dd(d);
  Device<long long> dl(l), small(10 * n);
  Device<Rounded> out(n);
  convert<<<(n + 127) / 128, 128>>>(df, dd, dl, out, n);
  narrow<<<(n + 127) / 128, 128>>>(dl, small, n);
  const auto got = out.host();
  int wrong = 0;
  auto same = [&](const char *what, int i, auto g, decltype(g) w) {
    if (std::memcmp(&g, &w, sizeof g) && wrong++ < 8)
      std::printf("%s of (%.17g, %.17g, %lld): %.17g, expected %.17g\n", what, f[i], d[i], l[i],
                  double(g), double(w));
  };
  for (int i = 0; i < n; ++i) {
    const Rounded &g = got[i];
    auto rounded = [](double v, int how) {
      return how == 0   ? std::floor(v)
             : how == 1 ? std::nearbyint(v)
             : how == 2 ? std::ceil(v)
                        : std::trunc(v);
    };
    for (int how = 0; how < 4; ++how) {
      same("float to int", i, g.rd[how], int(rounded(f[i], how)));
      same("double to int", i, g.dd[how], int(rounded(d[i], how)));
      same("float to unsigned", i, g.ru[how], unsigned(rounded(std::fabs(f[i]), how)));
      same("double to unsigned", i, g.du[how], unsigned(rounded(std::fabs(d[i]), how)));
      same("float to long", i, g.rl[how], (long long)rounded(f[i], how));
      same("double to long", i, g.dl[how], (long long)rounded(d[i], how));
    }
    const auto u = (unsigned long long)l[i];
    same("int to float", i, g.fromInt, float(int(u)));
    same("unsigned to float", i, g.fromUint, float(unsigned(u)));
    same("long to float", i, g.fromLong, float(l[i]));
    same("unsigned long to float", i, g.fromUlong, float(u));
    same("double to float", i, g.narrowed, float(d[i]));
    same("int to double", i, g.intUp, double(int(u)));
    same("long to double", i, g.longUp, double(l[i]));
    same("unsigned long to double", i, g.ulongUp, double(u));
    long long bits;
    std::memcpy(&bits, &d[i], 8);
    same("high half", i, g.high, int(bits >> 32));
    same("low half", i, g.low, int(bits));
    same("joined", i, g.joined, -d[i]);
    int word;
    std::memcpy(&word, &f[i], 4);
    same("bits", i, g.bits, word);
  }
  std::vector<long long> want;
  for (long long v : l)
    for (long long w : {(long long)(signed char)v, (long long)(unsigned char)v, (long long)(short)v,
                        (long long)(unsigned short)v, (long long)int(v), (long long)unsigned(v),
                        (long long)bool(v & 6), (long long)(signed char)(short)(v >> 7),
                        (long long)(unsigned short)(signed char)v, (long long)(float)(short)v})
      want.push_back(w);
  expectSame("narrowed", small.host(), want);
  EXPECT(wrong == 0);
  return verdict();
}
