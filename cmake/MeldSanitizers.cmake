# Tests under sanitizers (MELD_SANITIZE, ./dev test --asan or --tsan).
#
#   meld_test([SCRIPT] NAME ... COMMAND ...)   add_test; in a sanitizer build, at the end of the folder, with more
#                                     time and with the sanitizer's own library first in LD_PRELOAD. SCRIPT: without
#                                     that, bash does not live with it; the script gives it to its programs
#
# Most programs that the tests start (HIP programs, opt, shells) are not instrumented and load libraries
# that are: there the sanitizer's library has to be in the process before anything else. What ctest and
# the tests need to know about it is in the environment that CTestCustom.cmake sets (tests/sanitizer.h):
#
#   TEST_SANITIZER_LIBRARY   libasan.so.8 or libtsan.so.2
#   TEST_SLOWDOWN            factor for time limits
#   ASAN_OPTIONS, ...        one report, one file: a process whose failure a test expects hides nothing,
#                            test sanitizer.reports prints and counts them at the end
set(MELD_SANITIZER_LIBRARY "")
set(MELD_TEST_SLOWDOWN 1)
set(MELD_TEST_FIXTURES) # of every test
if(NOT MELD_SANITIZE)
  file(REMOVE ${CMAKE_BINARY_DIR}/CTestCustom.cmake)
else()
  set(name asan)
  set(MELD_TEST_SLOWDOWN 5)
  if(MELD_SANITIZE MATCHES "thread")
    set(name tsan)
    set(MELD_TEST_SLOWDOWN 10)
  endif()
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${name}.so
    OUTPUT_VARIABLE MELD_SANITIZER_LIBRARY OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT IS_ABSOLUTE "${MELD_SANITIZER_LIBRARY}")
    message(FATAL_ERROR "${CMAKE_CXX_COMPILER} has no shared lib${name}.so: sanitizer builds need g++")
  endif()
  file(REAL_PATH ${MELD_SANITIZER_LIBRARY} MELD_SANITIZER_LIBRARY)
  # Not a shell script that starts the interpreter, as pyenv has: bash does not live with libtsan.
  execute_process(COMMAND python3 -c "import sys; print(sys.executable)"
    OUTPUT_VARIABLE python OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(Python3_EXECUTABLE ${python} CACHE FILEPATH "The interpreter itself" FORCE)
  set(MELD_TEST_REPORTS ${CMAKE_BINARY_DIR}/sanitizer-reports)
  set(MELD_TEST_FIXTURES FIXTURES_REQUIRED sanitizer)
  configure_file(${CMAKE_SOURCE_DIR}/tests/sanitizers/CTestCustom.cmake.in ${CMAKE_BINARY_DIR}/CTestCustom.cmake @ONLY)
  add_test(NAME sanitizer.start COMMAND sh -c "rm -rf '${MELD_TEST_REPORTS}' && mkdir '${MELD_TEST_REPORTS}'")
  set_tests_properties(sanitizer.start PROPERTIES FIXTURES_SETUP sanitizer)
  add_test(NAME sanitizer.reports COMMAND sh -c "cd '${MELD_TEST_REPORTS}' && set -- * && test ! -e \"$1\" || { cat *; echo \"$# reports\"; exit 1; }")
  set_tests_properties(sanitizer.reports PROPERTIES FIXTURES_CLEANUP sanitizer)
endif()

function(meld_test)
  cmake_parse_arguments(ARG "SCRIPT" "NAME" "" ${ARGN})
  add_test(NAME ${ARG_NAME} ${ARG_UNPARSED_ARGUMENTS})
  if(MELD_SANITIZE) # when the folder has set the test's properties
    cmake_language(EVAL CODE "cmake_language(DEFER CALL meld_sanitized_test [[${ARG_NAME}]] ${ARG_SCRIPT})")
  endif()
endfunction()

function(meld_sanitized_test name script)
  get_test_property(${name} TIMEOUT seconds)
  if(seconds)
    math(EXPR seconds "${seconds} * ${MELD_TEST_SLOWDOWN}")
    set_tests_properties(${name} PROPERTIES TIMEOUT ${seconds})
  endif()
  set_property(TEST ${name} APPEND PROPERTY FIXTURES_REQUIRED sanitizer)
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT_MODIFICATION
    ASAN_OPTIONS=string_append::detect_leaks=0) # HIP, LLVM, shells and Python leave memory behind
  if(NOT script)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT_MODIFICATION
      LD_PRELOAD=path_list_prepend:${MELD_SANITIZER_LIBRARY})
  endif()
endfunction()
