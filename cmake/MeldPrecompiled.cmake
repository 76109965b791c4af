# Precompiled headers, one for each kind of source: most of a file's compile time is the headers of the standard library,
# of LLVM and of GoogleTest.
#
# g++ takes a precompiled header only with the same code generation options, and CMake compiles libraries with -fPIC and
# programs with -fPIE, so each kind exists twice where both are used. The headers are made by targets without sources
# of their own, when the first target asks for them.
#
# Every file still includes what it uses: MELD_PRECOMPILE=OFF builds without (./dev lint does).

option(MELD_PRECOMPILE "Precompile the headers of the standard library, LLVM and GoogleTest" ON)

set(meld_headers_std
  <algorithm> <array> <atomic> <cerrno> <chrono> <cmath> <cstdint> <cstdio> <cstdlib> <cstring> <filesystem> <fstream>
  <functional> <map> <memory> <mutex> <optional> <random> <set> <sstream> <string> <string_view> <thread> <unordered_map>
  <utility> <variant> <vector> <nlohmann/json.hpp> <tl/expected.hpp>)
set(meld_headers_llvm
  <llvm/ADT/MapVector.h> <llvm/ADT/SetVector.h> <llvm/Analysis/AssumptionCache.h> <llvm/Analysis/LoopInfo.h>
  <llvm/Analysis/PostDominators.h> <llvm/Analysis/TargetLibraryInfo.h> <llvm/Analysis/TargetTransformInfo.h>
  <llvm/Analysis/ValueTracking.h> <llvm/IR/Dominators.h> <llvm/IR/IRBuilder.h> <llvm/IR/InstIterator.h>
  <llvm/IR/Instructions.h> <llvm/IR/IntrinsicInst.h> <llvm/IR/IntrinsicsAMDGPU.h> <llvm/IR/Module.h>
  <llvm/IR/PassManager.h> <llvm/IR/PatternMatch.h> <llvm/Passes/PassBuilder.h> <llvm/Support/Error.h>
  <llvm/Support/raw_ostream.h>)

# Code that waits for other code: command lines and tests. -O1 halves what their templates cost to compile.
function(meld_optimise_less target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
endfunction()

# Gives `target` the precompiled header of its kind: std, llvm (with std), command (std and CLI11), test (std and
# GoogleTest), llvm_test.
function(meld_precompile target kind)
  if(NOT MELD_PRECOMPILE)
    return()
  endif()
  get_target_property(type ${target} TYPE)
  set(position PIC)
  if(type STREQUAL EXECUTABLE)
    set(position PIE)
  endif()
  set(provider meld_headers_${kind}_${position})
  if(NOT TARGET ${provider})
    set(empty ${CMAKE_BINARY_DIR}/CMakeFiles/${provider}.cpp)
    file(GENERATE OUTPUT ${empty} CONTENT "")
    add_library(${provider} OBJECT ${empty})
    if(kind MATCHES llvm)
      meld_llvm_flags(${provider})
    else()
      meld_flags(${provider})
    endif()
    if(position STREQUAL PIE)
      set_target_properties(${provider} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${provider} PRIVATE -fPIE)
    endif()
    if(kind MATCHES "test|command")
      meld_optimise_less(${provider})
    endif()
    set(headers ${meld_headers_std})
    if(kind STREQUAL command)
      list(APPEND headers <CLI/CLI.hpp>)
      target_link_libraries(${provider} PRIVATE CLI11::CLI11)
    endif()
    if(kind MATCHES llvm)
      list(APPEND headers ${meld_headers_llvm})
    endif()
    if(kind MATCHES test)
      list(APPEND headers <gtest/gtest.h>)
      target_link_libraries(${provider} PRIVATE GTest::gtest)
    endif()
    target_precompile_headers(${provider} PRIVATE ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${provider})
  # g++ 12 has false warnings about its own strings; from a precompiled header it forgets that they are its own.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-restrict)
    if(kind MATCHES test OR MELD_SANITIZE)
      target_compile_options(${target} PRIVATE -Wno-stringop-overflow -Wno-stringop-overread)
    endif()
  endif()
endfunction()
