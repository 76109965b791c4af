// The generator's state while it writes one kernel. Its members stand in the file that is named
// above each group.
#pragma once

#include "tests/fuzz/source/generator.h"
#include "tests/fuzz/source/random.h"

namespace meld::fuzz::source {

enum class Type : uint8_t { u32, i32, u64, i64, u16, i16, u8, i8, f32, f64, f16 };

const char *typeName(Type type);
inline bool isFloat(Type type) { return type >= Type::f32; }

struct Variable {
  std::string name; ///< or a field, or a component: any scalar that can be read
  Type type = Type::u32;
  bool writable = true;
};

/// Words of which this thread owns all that an index can reach.
struct Array {
  std::string base;
  Type type = Type::u32;
  uint32_t size = 1;       ///< a power of two
  std::string stride = {}; ///< " * N" where elements are not neighbours
  bool writable = true;
  bool isVolatile = false;
};

struct Callee {
  std::string name;
  Type result = Type::u32;
  std::vector<Type> parameters;
  Feature feature = Feature::calls;
};

/// What a place of the program may use and do.
struct Scope {
  std::vector<Variable> variables;
  std::vector<Array> arrays;
  std::vector<std::string> structs; ///< variables of the kernel's struct type
  std::vector<std::string> exits;   ///< labels behind the loops around
  unsigned depth = 0;
  bool kernel = true;     ///< not a function it calls
  bool wholeBlock = true; ///< all threads of the workgroup come here together
  bool lanesKnown = true; ///< the source says which lanes are here
  bool once = true;       ///< not in a loop
  bool canBreak = false, canContinue = false;
  std::string returns; ///< the statement that leaves, empty where nothing may
};

using Pieces = std::vector<Piece>;

class Writer {
public:
  explicit Writer(uint64_t seed, bool nests = false);
  SourceKernel write();

private:
  using Statement = void (Writer::*)(Random, Scope &, Pieces &);
  struct Choice {
    Feature feature;
    unsigned weight;
    Statement statement;
  };

  // writer.cpp
  bool wants(Feature f) const { return wanted_.has(f); }
  void mark(Feature f) { kernel_.features.add(f); }
  bool use(Feature f, Random &r, unsigned percent); ///< wanted, and chosen; marks it
  std::string fresh(const char *stem);
  std::string constant(Random &r);
  void statements(Random r, unsigned count, Scope &scope, Pieces &out);
  void statement(Random r, Scope &scope, Pieces &out);
  Pieces body(Random r, const Scope &outer, unsigned count, bool lanesKnown);
  std::pair<Pieces, Pieces> sides(Random r, const Scope &outer, unsigned count);
  void declare(Random r, Scope &scope, Pieces &out);
  void assign(Random r, Scope &scope, Pieces &out);

  // expressions.cpp
  Type anyType(Random &r) const;
  std::string convert(Type from, Type to, const std::string &text) const;
  std::string leaf(Random r, Type type, const Scope &scope);
  std::string value(Random r, Type type, unsigned depth, const Scope &scope);
  std::string word(Random r, unsigned depth, const Scope &scope);
  std::string signedWord(Random r, unsigned depth, const Scope &scope);
  std::string wide(Random r, unsigned depth, const Scope &scope);
  std::string real(Random r, Type type, unsigned depth, const Scope &scope);
  std::string builtin(Random r, unsigned depth, const Scope &scope);
  std::string call(Random r, const Callee &callee, unsigned depth, const Scope &scope);
  std::string condition(Random r, unsigned depth, const Scope &scope);
  std::string uniformWord(Random r);
  std::string element(const Array &array, const std::string &index) const;

  // control.cpp
  void branch(Random, Scope &, Pieces &);
  void uniformBranch(Random, Scope &, Pieces &);
  void switchOn(Random, Scope &, Pieces &);
  void loop(Random, Scope &, Pieces &);
  void uniformLoop(Random, Scope &, Pieces &);
  void leaveLoop(Random, Scope &, Pieces &);
  void jumpForward(Random, Scope &, Pieces &);
  void jumpIntoLoop(Random, Scope &, Pieces &);
  void switchIntoLoop(Random, Scope &, Pieces &);
  void returnEarly(Random, Scope &, Pieces &);
  void setUnderCondition(Random, Scope &, Pieces &);
  void assume(Random, Scope &, Pieces &);
  void impossible(Random, Scope &, Pieces &);
  void parallelLoop(Random, Scope &, Pieces &);

  // memory.cpp
  void privateArray(Random, Scope &, Pieces &);
  void store(Random, Scope &, Pieces &);
  void scopedArrays(Random, Scope &, Pieces &);
  void genericPointer(Random, Scope &, Pieces &);
  void restrictCall(Random, Scope &, Pieces &);
  void copyBytes(Random, Scope &, Pieces &);
  void structValue(Random, Scope &, Pieces &);
  void vectorValue(Random, Scope &, Pieces &);
  void volatileAccess(Random, Scope &, Pieces &);
  void nontemporalAccess(Random, Scope &, Pieces &);
  void addFields(Scope &scope, const std::string &name) const;

  // functions.cpp
  void makeStruct(Random r);
  void makeFunctions(Random r);
  void makeFunction(Random r, const char *kind, Feature feature, bool words);
  void makeRestrictFunction(Random r);
  void makeRecursion(Random r);
  void makeArrayFunctions(Random r);
  Scope functionScope() const;
  void indirectCall(Random, Scope &, Pieces &);
  void recursiveCall(Random, Scope &, Pieces &);

  // sharing.cpp
  void exchange(Random, Scope &, Pieces &);
  void atomic(Random, Scope &, Pieces &);
  void atomicResult(Random, Scope &, Pieces &);
  void casLoop(Random, Scope &, Pieces &);
  void laneLock(Random, Scope &, Pieces &);
  void doneLock(Random, Scope &, Pieces &);
  void ticketLock(Random, Scope &, Pieces &);
  void flag(Random, Scope &, Pieces &);
  Pieces critical(Random r, const Scope &scope, const std::string &word);
  uint32_t syncWords(uint32_t count);

  // lanes.cpp
  void ballot(Random, Scope &, Pieces &);
  void joinBallot(Random, Scope &, Pieces &);
  void shuffle(Random, Scope &, Pieces &);
  void firstLane(Random, Scope &, Pieces &);
  void waterfall(Random, Scope &, Pieces &);
  void laneMove(Random, Scope &, Pieces &);
  void roundingMode(Random, Scope &, Pieces &);
  void waveState(Random, Scope &, Pieces &);
  void assembly(Random, Scope &, Pieces &);
  bool lanesAllowed(const Scope &scope);
  std::string target(Random &r, Scope &scope); ///< a word to assign to

  // nests.cpp
  void chooseNestFeatures(Random r);
  Piece loopHead(Random r, const Scope &scope, const std::string &i, bool strides);
  void nest(Random r, Scope &scope, Pieces &out, unsigned levels, bool outermost);

  // kernel.cpp
  void chooseShape(Random r);
  void chooseFeatures(Random r);
  Piece kernelBody(Random r);

  uint64_t seed_;
  const bool nests_; ///< made of nests of loops
  SourceKernel kernel_;
  Features wanted_;
  unsigned names_ = 0;
  uint32_t syncUsed_ = 0;
  bool early_ = false;           ///< threads may return before the end, so there are no barriers
  Pieces file_;                  ///< of file scope, in front of the kernel
  std::vector<Callee> callees_;  ///< pure functions for expressions
  std::vector<Callee> indirect_; ///< u32 (u32, u32), in the table
  std::string table_, recursive_, structType_, structFunction_, fill_, fold_;
  std::vector<std::string> restricts_;
  std::vector<std::pair<std::string, Type>> fields_;
};

} // namespace meld::fuzz::source
