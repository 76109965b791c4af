# Build settings every room shares. A target opts in with meld_target(<name>).

# Other compilers and LLVM releases bring warnings of their own; there they are only shown.
set(werror OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  set(werror ON)
endif()
option(MELD_WERROR "Treat warnings as errors" ${werror})
set(MELD_SANITIZE "" CACHE STRING "Sanitizers, comma separated (address,undefined | thread)")
set(MELD_LLVM_VERSION "" CACHE STRING
  "LLVM major version to build against (15, 17, 21); empty: the one that hipcc and comgr use")

find_program(MELD_CCACHE ccache)
if(MELD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # What ccache asks for before it keeps anything that includes a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${MELD_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${MELD_CCACHE})
endif()

# Assertions stay on: a wrong result is worse than a slow one.
string(REPLACE "-O3 -DNDEBUG" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
string(REPLACE "-O3 -DNDEBUG" "-O2" CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")
string(REPLACE "-g" "-g1" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")

# libmeld reads the bitcode that hipcc embeds and hands it back to comgr: all three must be one LLVM.
find_program(MELD_HIPCC hipcc REQUIRED)
if(NOT MELD_LLVM_VERSION)
  execute_process(COMMAND ${MELD_HIPCC} --version OUTPUT_VARIABLE text ERROR_QUIET)
  if(NOT text MATCHES "clang version ([0-9]+)")
    message(FATAL_ERROR "${MELD_HIPCC} --version names no clang version; set MELD_LLVM_VERSION")
  endif()
  set(MELD_LLVM_VERSION ${CMAKE_MATCH_1} CACHE STRING "" FORCE)
endif()

find_package(Threads REQUIRED)
find_package(LLVM REQUIRED CONFIG # by folder: 18 and later refuse a bare major version
  PATHS /usr/lib/llvm-${MELD_LLVM_VERSION}/lib/cmake/llvm NO_DEFAULT_PATH)
set(MELD_LLVM_BIN ${LLVM_TOOLS_BINARY_DIR})
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")

find_package(nlohmann_json REQUIRED)
find_package(tl-expected REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
find_package(spdlog REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)

# Where an installed program finds our libraries, from its own folder: ../lib/libmeld, ../lib64/libmeld,
# ../lib/x86_64-linux-gnu/libmeld. The last is always among them: a Debian package may be made of any build.
file(RELATIVE_PATH folder ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set(folders ${folder} ../lib/${CMAKE_LIBRARY_ARCHITECTURE})
list(REMOVE_DUPLICATES folders)
list(TRANSFORM folders REPLACE ".+" "\"\\0/libmeld\"")
list(JOIN folders "," folders)
set(MELD_LIBRARY_FOLDERS "MELD_LIBRARY_FOLDERS=${folders}")

# What every target of ours gets: includes from the top of the tree, warnings, sanitizers.
function(meld_flags target)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -Wall -Wextra
    $<IF:$<CXX_COMPILER_ID:GNU>,-Wshadow=local,-Wshadow> -Wno-unused-parameter
    $<$<BOOL:${MELD_WERROR}>:-Werror>)
  if(MELD_SANITIZE)
    # g++ warns about its own library (std::regex, std::function) when it instruments it.
    target_compile_options(${target} PRIVATE -fsanitize=${MELD_SANITIZE} -fno-omit-frame-pointer
      $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    target_link_options(${target} PRIVATE -fsanitize=${MELD_SANITIZE})
  endif()
endfunction()

# Rooms that see LLVM: headers as SYSTEM, one shared libLLVM.
function(meld_llvm_flags target)
  meld_flags(${target})
  target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_compile_definitions(${target} PRIVATE ${LLVM_DEFINITIONS})
  if(NOT LLVM_ENABLE_RTTI)
    target_compile_options(${target} PRIVATE -fno-rtti)
  endif()
endfunction()

function(meld_target target)
  meld_flags(${target})
  meld_precompile(${target} std)
endfunction()

# A program whose work is done by others: it reads a command line with CLI11.
function(meld_command_target target)
  meld_flags(${target})
  meld_optimise_less(${target})
  meld_precompile(${target} command)
endfunction()

function(meld_llvm_target target)
  meld_llvm_flags(${target})
  meld_precompile(${target} llvm)
endfunction()

# Labels for the tests that a variable of gtest_discover_tests will list when ctest reads it: among the properties there they
# cannot be several.
function(meld_label_tests list labels)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${list}_labels.cmake)
  file(WRITE ${file} "if(${list})\n  set_tests_properties(\${${list}} PROPERTIES LABELS \"${labels}\")\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file})
endfunction()

# A GoogleTest program, registered test by test with ctest. Tests whose names match one of the patterns behind RARE get that label,
# too.
function(meld_gtest name)
  cmake_parse_arguments(ARG "LLVM" "TIMEOUT" "SOURCES;LIBS;LABELS;RARE" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  if(ARG_LLVM)
    meld_llvm_flags(${name})
    meld_optimise_less(${name})
    meld_precompile(${name} llvm_test)
  else()
    meld_flags(${name})
    meld_optimise_less(${name})
    meld_precompile(${name} test)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} GTest::gtest GTest::gtest_main Threads::Threads)
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * ${MELD_TEST_SLOWDOWN}")
  include(GoogleTest)
  set(all)
  if(ARG_RARE)
    list(JOIN ARG_RARE ":" rare)
    set(all TEST_FILTER "-${rare}")
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES TEST_FILTER "${rare}" TEST_LIST ${name}_rare
      PROPERTIES TIMEOUT ${ARG_TIMEOUT} ${MELD_TEST_FIXTURES})
    meld_label_tests(${name}_rare "${ARG_LABELS};rare")
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES # which are addresses
    ${all} TEST_LIST ${name}_tests PROPERTIES TIMEOUT ${ARG_TIMEOUT} ${MELD_TEST_FIXTURES})
  meld_label_tests(${name}_tests "${ARG_LABELS}")
endfunction()

include(MeldPrecompiled)
include(MeldUnity)
include(MeldSanitizers)
include(MeldHip)
include(MeldLaterLlvm)
