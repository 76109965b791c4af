# cmake --install build --prefix PREFIX: what a user has, in the usual places.
#
#   bin/         meld, meld-gpu
#   lib/         libmeld.so (to preload) and what it opens: libmeld-jit.so, meld-compile, meld-remote,
#                libmeld-softgpu.so, libmeld-softgpu-translate.so; MeldPasses.so for opt
#   lib/cmake/   find_package(libmeld)
#   share/       man pages, completion for bash
#
# Programs find the libraries by their own place, and the libraries each other by theirs, so the tree can be moved.

install(TARGETS meld_cli meld_gpu_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS meld_shim meld-jit meld-softgpu meld-softgpu-translate LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS MeldPasses LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS meld-compile RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}) # beside libmeld-jit.so, which it opens
install(TARGETS meld-remote RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}) # beside libmeld.so, which starts it
install(FILES ${CMAKE_BINARY_DIR}/share/man/man1/meld.1 ${CMAKE_BINARY_DIR}/share/man/man1/meld-gpu.1
  DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_SOURCE_DIR}/cmake/install/meld.bash-completion
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME meld)
install(FILES ${CMAKE_SOURCE_DIR}/cmake/install/meld.bash-completion
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME meld-gpu)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

include(CMakePackageConfigHelpers)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/install/libmeldConfig.cmake.in
  ${CMAKE_BINARY_DIR}/libmeldConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/libmeld
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/libmeldConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/libmeldConfig.cmake ${CMAKE_BINARY_DIR}/libmeldConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/libmeld)
