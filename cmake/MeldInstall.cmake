# cmake --install build --prefix PREFIX: what a user has, in the places that distributions use.
#
#   bin/               meld, meld-gpu
#   lib/libmeld.so     a link, for LD_PRELOAD
#   lib/libmeld/       libmeld.so and what it opens: libmeld-jit.so, meld-compile, meld-remote,
#                      libmeld-softgpu.so, libmeld-softgpu-translate.so; MeldPasses.so for opt and clang; demo/bitonic
#   lib/cmake/         find_package(libmeld)
#   share/             man pages, completion for bash, share/libmeld/modulefiles for environment modules
#
# lib is CMAKE_INSTALL_LIBDIR: lib64, lib/x86_64-linux-gnu. Programs find the libraries by their own place, and the
# libraries each other by theirs, so the tree can be moved. Nothing links these libraries, so none has a version in
# its name: what belongs together lies in one folder of its own.
set(private ${CMAKE_INSTALL_LIBDIR}/libmeld)
install(TARGETS meld_cli meld_gpu_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS meld_shim meld-jit meld-softgpu meld-softgpu-translate MeldPasses LIBRARY DESTINATION ${private})
install(TARGETS meld-compile meld-remote RUNTIME DESTINATION ${private})
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/install)
file(CREATE_LINK libmeld/libmeld.so ${CMAKE_BINARY_DIR}/install/libmeld.so SYMBOLIC)
install(FILES ${CMAKE_BINARY_DIR}/install/libmeld.so DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(PROGRAMS ${CMAKE_BINARY_DIR}/bin/hip/bitonic DESTINATION ${private}/demo)

install(FILES ${CMAKE_BINARY_DIR}/share/man/man1/meld.1 ${CMAKE_BINARY_DIR}/share/man/man1/meld-gpu.1
  DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
foreach(program meld meld-gpu)
  install(FILES ${CMAKE_SOURCE_DIR}/cmake/install/meld.bash-completion
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${program})
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Lmod takes the .lua file of a folder, the other modules program the one without an ending.
file(RELATIVE_PATH MELD_MODULES_TO_PREFIX ${CMAKE_INSTALL_FULL_DATADIR}/libmeld/modulefiles/libmeld ${CMAKE_INSTALL_PREFIX})
foreach(ending "" .lua)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/package/modulefile${ending}.in ${CMAKE_BINARY_DIR}/install/${PROJECT_VERSION}${ending}
    @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/install/${PROJECT_VERSION}${ending}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/libmeld/modulefiles/libmeld)
endforeach()

include(CMakePackageConfigHelpers)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/install/libmeldConfig.cmake.in
  ${CMAKE_BINARY_DIR}/libmeldConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/libmeld)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/libmeldConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/libmeldConfig.cmake ${CMAKE_BINARY_DIR}/libmeldConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/libmeld)
