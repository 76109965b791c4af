// What is launched, one after the other: kernels in turns, each with arguments that stay for a while,
// then differ in a bit, in some fields or in all, alternate between a few sets, or are made anew. It
// depends on the seed alone.
#pragma once

#include "arguments.h"

struct Shape {
  dim3 groups, threads;
  unsigned items() const { return threads.x * threads.y * threads.z; }
};

/// All of them with at most kItems work-items. The first ones are in a row.
inline const std::array<Shape, 12> shapes = {{{dim3(2), dim3(64)},
                                              {dim3(4), dim3(64)},
                                              {dim3(3), dim3(64)},
                                              {dim3(3), dim3(32)},
                                              {dim3(2), dim3(100)},
                                              {dim3(2), dim3(128)},
                                              {dim3(1), dim3(256)},
                                              {dim3(2), dim3(1)},
                                              {dim3(2), dim3(16, 4)},
                                              {dim3(2, 2), dim3(8, 4, 2)},
                                              {dim3(2, 1, 2), dim3(64)},
                                              {dim3(4), dim3(1, 64)}}};
constexpr unsigned kInARow = 8;

struct Launch {
  unsigned kernel = 0;
  Shape shape;
  unsigned missing = 0; ///< work-items of the last group that are not there
  Block block{};        ///< with places for pointers
};

class Sequence {
public:
  /// `count` of the kernels, from the one on that the seed says.
  Sequence(const std::vector<Kernel> &kernels, unsigned count, uint64_t seed)
      : random_(seed), count_(count) {
    for (unsigned k = 0; k < count; ++k) {
      One one;
      one.kernel = static_cast<unsigned>((seed * count + k) % kernels.size());
      one.what = &kernels[one.kernel];
      one.holes = holesOf(*one.what);
      for (Set &set : one.sets)
        fill(one, set);
      ones_.push_back(one);
    }
  }

  /// `same`: another launch of the kernel that was launched last.
  Launch next(bool same = false) {
    if (!same && random_.below(12) == 0)
      at_ = random_.below(count_);
    One &one = ones_[at_];
    if (one.left-- == 0)
      newPhase(one);
    if (one.turns > 1)
      one.current = (one.current + 1) % one.turns;
    Set now = one.sets[one.current];
    if (random_.below(64) < one.restless)
      change(one, now);
    if (one.what->ragged && random_.below(8) == 0) // only that
      now.missing = now.missing ? 0 : random_.below(shapes[now.shape].items());
    if (random_.below(2))
      for (const unsigned hole : one.holes)
        now.block[hole] = static_cast<unsigned char>(random_.next());
    Launch launch;
    launch.kernel = one.kernel;
    launch.shape = shapes[now.shape];
    launch.missing = now.missing;
    launch.block = now.block;
    return launch;
  }
  Random &random() { return random_; }

private:
  struct Set {
    Block block{};
    unsigned shape = 0, missing = 0;
  };
  struct One {
    unsigned kernel = 0;
    const Kernel *what = nullptr;
    std::vector<unsigned> holes;
    std::array<Set, 3> sets;
    unsigned current = 0, turns = 1, restless = 0, left = 0;
  };

  void setField(const Field &field, Set &set) {
    ::set(set.block, field, randomBits(field.kind, random_));
  }
  void newShape(const One &one, Set &set) {
    set.shape = random_.below(one.what->ragged ? kInARow : static_cast<unsigned>(shapes.size()));
    set.missing =
        one.what->ragged ? random_.below(2) * random_.below(shapes[set.shape].items()) : 0;
  }
  void fill(const One &one, Set &set) {
    for (unsigned i = 0; i < one.what->bytes; ++i)
      set.block[i] = static_cast<unsigned char>(random_.next());
    for (const Field &field : one.what->fields)
      setField(field, set);
    newShape(one, set);
  }
  void newPhase(One &one) {
    one.left = 16 + random_.below(160);
    one.turns = random_.below(4) ? 1 : 2 + random_.below(2);
    one.current = random_.below(3);
    one.restless = std::array<unsigned, 5>{0, 1, 4, 8, 24}[random_.below(5)];
    if (random_.below(6) == 0)
      fill(one, one.sets[one.current]);
  }
  /// One field in a bit, a few of them, all, or another shape.
  void change(const One &one, Set &set) {
    const auto &fields = one.what->fields;
    const auto any = [&]() -> const Field & {
      return fields[random_.below(static_cast<uint32_t>(fields.size()))];
    };
    switch (random_.below(6)) {
    case 0:
      newShape(one, set);
      break;
    case 1:
      for (const Field &field : fields)
        setField(field, set);
      break;
    case 2:
      for (int i = 0; i < 3; ++i)
        setField(any(), set);
      break;
    case 3:
      setField(any(), set);
      break;
    default:
      flip(any(), set);
    }
  }
  void flip(const Field &field, Set &set) {
    if (isPointer(field.kind) || field.kind == Kind::width)
      return setField(field, set);
    const bool oneBit = field.kind == Kind::flag || field.kind == Kind::choice;
    const unsigned bit = oneBit ? 0 : random_.below(8 * sizeOf(field.kind));
    set.block[field.offset + bit / 8] ^= static_cast<unsigned char>(1u << bit % 8);
  }

  Random random_;
  unsigned count_, at_ = 0;
  std::vector<One> ones_;
};
