# Several sources of one folder in one compile (CMake's unity build). Of a file that uses LLVM's headers the front end
# takes three quarters of the time, with a precompiled header, too; eight files in one compile take as long as two.
#
# Every file still stands for itself: MELD_UNITY=OFF compiles each alone (./dev lint does, and who works on one file
# for long may want to). Two files of a test with a helper of one name, one for int and one for uint64_t, would compile, and call
# the other's: look for such before a test program is named here.

option(MELD_UNITY "Compile several sources of a folder at once" ON)

#   meld_unity(target [ALONE source...])   ALONE: they need names that others have, too
function(meld_unity target)
  cmake_parse_arguments(ARG "" "" "ALONE" ${ARGN})
  if(NOT MELD_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  if(GTest::gtest IN_LIST libraries)
    # g++ takes a source for a header there, and warns of tests with a fixture of the anonymous namespace.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
  get_target_property(sources ${target} SOURCES)
  list(REMOVE_ITEM sources ${ARG_ALONE})
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "\\.cpp$")
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "${target}${folder}" group)
    math(EXPR count "0${${group}} + 1")
    set(${group} ${count})
    math(EXPR part "${count} / 9")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${part})
  endforeach()
endfunction()
