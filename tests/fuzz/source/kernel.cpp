// The kernel as a whole: its shape, what it may use, what stands around its statements.
#include "tests/fuzz/source/writer.h"

namespace meld::fuzz::source {

std::string Shape::text() const {
  auto three = [](const std::array<uint32_t, 3> &v) {
    return std::to_string(v[0]) + "x" + std::to_string(v[1]) + "x" + std::to_string(v[2]);
  };
  return three(grid) + " of " + three(block);
}

void Writer::chooseShape(Random r) {
  static const std::array<uint32_t, 3> blocks[] = {
      {64, 1, 1}, {64, 1, 1}, {128, 1, 1}, {32, 1, 1},  {8, 8, 1},   {16, 8, 1},
      {4, 4, 4},  {7, 5, 1},  {33, 1, 1},  {100, 1, 1}, {3, 3, 3},   {16, 4, 2},
      {96, 1, 1}, {1, 64, 1}, {65, 1, 1},  {192, 1, 1}, {16, 16, 1}, {11, 3, 5}};
  static const std::array<uint32_t, 3> grids[] = {{1, 1, 1}, {1, 1, 1}, {2, 1, 1},
                                                  {1, 2, 1}, {1, 1, 2}, {2, 2, 1}};
  kernel_.shape.block = r.pick(blocks);
  kernel_.shape.grid = kernel_.shape.blockSize() > 100 ? grids[r.below(3)] : r.pick(grids);
}

void Writer::chooseFeatures(Random r) {
  // A kernel of few features now and then, one of many now and then.
  const uint32_t percent = 12 + r.below(45);
  for (size_t i = 0; i < featureCount; ++i)
    if (r.chance(percent))
      wanted_.add(static_cast<Feature>(i));
  static const Feature common[] = {Feature::ownGlobal, Feature::similarSides, Feature::loops};
  for (Feature f : common)
    if (r.chance(75))
      wanted_.add(f);
  early_ = wants(Feature::earlyReturn);
  if (early_) {
    wanted_.remove(Feature::barriers);
    wanted_.remove(Feature::flags);
  }
  if (wants(Feature::loopExits) || wants(Feature::lanesInLoops))
    wanted_.add(Feature::loops);
  if (wants(Feature::bitFields))
    wanted_.add(Feature::structs);
  if (wants(Feature::dynamicLds) && !wants(Feature::barriers))
    wanted_.add(Feature::ownLds);
}

Piece Writer::kernelBody(Random r) {
  const Shape &shape = kernel_.shape;
  const std::string size = std::to_string(shape.blockSize()) + "u";
  const auto &b = shape.block;
  static const char *const types[] = {"const u32 *", "u32 *", "u32 *", "float *", "double *",
                                      "u64 *",       "u8 *",  "u32 *", "u32 *",   "u32 *"};
  static const char *const names[] = {"in",   "own",   "col", "fl",  "db",
                                      "wide", "bytes", "out", "acc", "sync"};
  std::string head = "extern \"C\" __global__ ";
  if (r.chance(50))
    head += "__launch_bounds__(" + size + ") ";
  head += "void " + kernel_.name + "(";
  const bool restricts = r.chance(40);
  for (size_t i = 0; i < 10; ++i)
    head += std::string(types[i]) + (restricts ? "__restrict__ " : "") + names[i] + ", ";
  head += "int n, u32 m, Args a) {";

  Piece kernel = block(head, {});
  auto fixed = [&](const std::string &text) { kernel.kids.push_back(line(text, true)); };
  const bool literal = r.chance(50);
  const std::string bx = literal ? std::to_string(b[0]) + "u" : "(u32)blockDim.x",
                    by = literal ? std::to_string(b[1]) + "u" : "(u32)blockDim.y";
  fixed("const u32 t = threadIdx.x" +
        std::string(b[1] * b[2] > 1 ? " + " + bx + " * (threadIdx.y + " + by + " * threadIdx.z)"
                                    : "") +
        ";");
  fixed("const u32 block = blockIdx.x + " + std::to_string(shape.grid[0]) + "u * (blockIdx.y + " +
        std::to_string(shape.grid[1]) + "u * blockIdx.z);");
  fixed("const u32 gid = block * " + size + " + t, lane = __lane_id(), wave = block * " +
        std::to_string((shape.blockSize() + 63) / 64) + "u + t / 64;");

  Scope scope;
  scope.returns = early_ ? "return;" : "";
  const uint32_t variables = 4 + r.below(4);
  for (uint32_t i = 0; i < variables; ++i) {
    const std::string v = "v" + std::to_string(i);
    Random s = r.child();
    const Type type = i < 2 ? Type::u32 : anyType(s);
    const std::string load = "in[(gid * " + std::to_string(1 + 2 * s.below(20)) + "u + " +
                             std::to_string(s.below(1000)) + "u) & 1023]";
    fixed(std::string(typeName(type)) + " " + v + " = " + convert(Type::u32, type, load) + ";");
    scope.variables.push_back({v, type, true});
  }
  names_ = variables;
  fixed("u32 *mine = own + gid * 16u;");
  if (wants(Feature::ownGlobal)) {
    mark(Feature::ownGlobal);
    scope.arrays.push_back({"mine", Type::u32, 16});
    scope.arrays.push_back(
        {"(col + gid)", Type::u32, 4, " * " + std::to_string(shape.threads()) + "u"});
    if (wants(Feature::floats))
      scope.arrays.push_back({"(fl + gid * 4u)", Type::f32, 4});
    if (wants(Feature::doubles))
      scope.arrays.push_back({"(db + gid * 2u)", Type::f64, 2});
    if (wants(Feature::wideIntegers))
      scope.arrays.push_back({"(wide + gid * 2u)", Type::u64, 2});
    if (wants(Feature::narrowIntegers))
      scope.arrays.push_back({"(bytes + gid * 16u)", Type::u8, 16});
  } else if (wants(Feature::restrictCalls) || wants(Feature::flatPointers)) {
    scope.arrays.push_back({"mine", Type::u32, 16});
  }
  const bool dynamicOwn = wants(Feature::ownLds) && wants(Feature::dynamicLds);
  const bool dynamicExchange =
      !dynamicOwn && wants(Feature::barriers) && wants(Feature::dynamicLds);
  if (dynamicOwn || dynamicExchange) {
    mark(Feature::dynamicLds);
    fixed("extern __shared__ u32 dynamic[];");
    kernel_.shape.dynamicLds = shape.blockSize() * (dynamicOwn ? 32 : 4);
  }
  if (wants(Feature::ownLds)) {
    mark(Feature::ownLds);
    if (!dynamicOwn)
      fixed("__shared__ u32 sh[" + std::to_string(8 * shape.blockSize()) + "];");
    fixed(std::string("u32 *lmine = ") + (dynamicOwn ? "dynamic" : "sh") +
          " + t * 8u;\nfor (u32 i = 0; i < 8; ++i) lmine[i] = v0 + i;");
    scope.arrays.push_back({"lmine", Type::u32, 8});
  }
  if (wants(Feature::barriers)) {
    if (dynamicExchange)
      fixed("u32 *xs = dynamic;");
    else
      fixed("__shared__ u32 xs[" + std::to_string(shape.blockSize()) + "];");
  }
  const bool lds = wants(Feature::atomics) && !early_;
  if (lds)
    fixed("__shared__ u32 lacc[64];\nfor (u32 i = t; i < 64; i += " + size +
          ") lacc[i] = i;\n__syncthreads();");

  if (nests_)
    for (unsigned n = r.chance(25) ? 2 : 1; n > 0; --n) {
      nest(r.child(), scope, kernel.kids, r.chance(30) ? 3 : 2, true);
      statements(r.child(), 1, scope, kernel.kids);
    }
  else
    statements(r.child(), 3 + r.below(6), scope, kernel.kids);

  if (lds)
    fixed("__syncthreads();\nfor (u32 i = t; i < 64; i += " + size +
          ") atomicAdd(&acc[i], lacc[i] * (i + 1));");
  for (uint32_t i = 0; i < variables; ++i) {
    const Variable &v = scope.variables[i];
    const std::string at = "out[gid * 16u + " + std::to_string(i) + "u] = ";
    const bool isWide = v.type == Type::u64 || v.type == Type::i64 || v.type == Type::f64;
    if (isWide)
      kernel.kids.push_back(line(
          "{ const u64 x = " + (isFloat(v.type) ? "bitsOf(" + v.name + ")" : "(u64)" + v.name) +
          "; " + at + "(u32)x ^ (u32)(x >> 32); }"));
    else
      kernel.kids.push_back(
          line(at + (isFloat(v.type) ? "bitsOf(" + v.name + ")" : "(u32)" + v.name) + ";"));
  }
  kernel.fixed = true, kernel.unwraps = false;
  return kernel;
}

SourceKernel Writer::write() {
  Random r(seed_);
  chooseShape(r.child());
  chooseFeatures(r.child());
  if (nests_)
    chooseNestFeatures(r.child());
  makeFunctions(r.child());
  if (wants(Feature::constantData)) {
    Random c = r.child();
    std::string list;
    for (unsigned i = 0; i < 16; ++i)
      list += (i ? ", " : "") + constant(c);
    file_.insert(file_.begin(),
                 line("__constant__ u32 c" + std::to_string(seed_) + "[16] = {" + list + "};"));
  }
  file_.insert(file_.begin(), line("#pragma clang fp contract(off)", true));
  Piece body = kernelBody(r.child());
  kernel_.program.kids = std::move(file_);
  kernel_.program.kids.push_back(std::move(body));
  kernel_.program.fixed = true;
  return std::move(kernel_);
}

} // namespace meld::fuzz::source
