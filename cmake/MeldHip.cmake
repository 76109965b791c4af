# HIP programs, built with hipcc as a user would build them.
#   meld_hip_program(name SOURCES a.hip [ARCHS gfx90a gfx900] [NO_BITCODE] [RARE] [OPTIONS ...])
# makes build/bin/hip/<name>; bitcode is embedded unless NO_BITCODE. What is RARE takes long to compile and is for tests
# labelled rare alone: the target meld_rare makes it, which `./dev test --all` builds.
add_custom_target(meld_rare)
function(meld_hip_program name)
  cmake_parse_arguments(ARG "NO_BITCODE;RARE" "" "SOURCES;ARCHS;OPTIONS;DEPENDS" ${ARGN})
  if(NOT ARG_ARCHS)
    set(ARG_ARCHS gfx90a)
  endif()
  set(flags -O3 -std=c++17 -Wall -Wno-unused-result -I${CMAKE_SOURCE_DIR})
  foreach(arch IN LISTS ARG_ARCHS)
    list(APPEND flags --offload-arch=${arch})
  endforeach()
  if(NOT ARG_NO_BITCODE)
    list(APPEND flags -Xclang -fembed-bitcode=all)
  endif()
  set(out ${CMAKE_BINARY_DIR}/bin/hip/${name})
  set(srcs)
  foreach(s IN LISTS ARG_SOURCES)
    cmake_path(ABSOLUTE_PATH s BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND srcs ${s})
  endforeach()
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.h ${CMAKE_SOURCE_DIR}/bench/kernels/*.h)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/bin/hip)
  add_custom_command(OUTPUT ${out}
    COMMAND ${MELD_HIPCC} ${flags} ${ARG_OPTIONS} ${srcs} -o ${out}
    DEPENDS ${srcs} ${headers} ${ARG_DEPENDS}
    COMMENT "hipcc ${name}" VERBATIM)
  if(ARG_RARE)
    add_custom_target(hip_${name} DEPENDS ${out})
    add_dependencies(meld_rare hip_${name})
  else()
    add_custom_target(hip_${name} ALL DEPENDS ${out})
  endif()
endfunction()

# HIP's headers refuse waves of 64 lanes on GFX10 and later, which they know by the processor's name (HIP 5.2) or by the lack of
# an older one's (5.7 and later); the executor runs them all the same.
#   meld_wave64_flags(OUT gfx1030)
function(meld_wave64_flags out target)
  set(${out} -mwavefrontsize64 -U__${target}__ -D__GFX8__ PARENT_SCOPE)
endfunction()
