# Tests' code for processors that the LLVM of the build does not know: GFX12 came with LLVM 18. A later LLVM's llc and llvm-mc
# make it where they are installed; clang and the linker are the build's.
find_program(MELD_LATER_LLC llc NO_CACHE NO_DEFAULT_PATH
  PATHS /usr/lib/llvm-22/bin /usr/lib/llvm-21/bin /usr/lib/llvm-20/bin /usr/lib/llvm-19/bin)
set(MELD_LATER_BIN)
set(MELD_GFX1201_CODE) # what tests are compiled with where there is such code
if(MELD_LATER_LLC)
  cmake_path(GET MELD_LATER_LLC PARENT_PATH MELD_LATER_BIN)
  set(MELD_GFX1201_CODE MELD_GFX1201_CODE)
endif()

#   meld_gfx1201_code(OUTPUT out.hsaco SOURCE a.cl|a.s [WAVE64] [OPTIONS ...] [DEPENDS ...])
# OpenCL C becomes gfx1100's IR, of which the later llc makes code of gfx1201; assembly has WAVE64 defined as 0 or 1.
function(meld_gfx1201_code)
  cmake_parse_arguments(ARG "WAVE64" "OUTPUT;SOURCE" "OPTIONS;DEPENDS" ${ARGN})
  set(wide)
  set(features +cumode)
  if(ARG_WAVE64)
    set(wide -mwavefrontsize64)
    string(APPEND features ,-wavefrontsize32,+wavefrontsize64)
  endif()
  if(ARG_SOURCE MATCHES "[.]s$")
    cmake_path(GET ARG_SOURCE PARENT_PATH folder)
    set(compile COMMAND ${MELD_LATER_BIN}/llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=gfx1201 -mattr=${features} -I${folder}
      -defsym=WAVE64=$<BOOL:${ARG_WAVE64}> ${ARG_OPTIONS} -filetype=obj ${ARG_SOURCE} -o ${ARG_OUTPUT}.o)
  else()
    set(compile
      COMMAND ${MELD_LLVM_BIN}/clang -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx1100 ${wide} -nogpulib -O2
        ${ARG_OPTIONS} -S -emit-llvm ${ARG_SOURCE} -o ${ARG_OUTPUT}.11.ll
      COMMAND sed -e "s/gfx1100/gfx1201/g" -e "s/\"target-features\"=\"[^\"]*\"//g" ${ARG_OUTPUT}.11.ll > ${ARG_OUTPUT}.ll
      COMMAND ${MELD_LATER_BIN}/llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx1201 -mattr=${features} -O2 -filetype=obj ${ARG_OUTPUT}.ll
        -o ${ARG_OUTPUT}.o)
  endif()
  cmake_path(GET ARG_SOURCE STEM stem)
  add_custom_command(OUTPUT ${ARG_OUTPUT} ${compile}
    COMMAND ${MELD_LLVM_BIN}/ld.lld -shared ${ARG_OUTPUT}.o -o ${ARG_OUTPUT}
    DEPENDS ${ARG_SOURCE} ${ARG_DEPENDS} COMMENT "${stem} for gfx1201" VERBATIM)
endfunction()
