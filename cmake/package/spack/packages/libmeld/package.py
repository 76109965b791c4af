# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A recipe for Spack. No release has been published, so it builds a clone:
#
#   spack repo add CLONE/cmake/package/spack
#   spack develop --path CLONE libmeld@main
#   spack install libmeld ^hip@6.0
#
# What libmeld does for other packages is one environment variable (or two): while a package that depends on
# it for its build is built, hipcc embeds bitcode. notes.md beside repo.yaml has the lines for Kokkos, AMReX
# and LAMMPS.

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Libmeld(CMakePackage):
    """Control-flow melding and scalarization for HIP programs, done when a program loads its GPU code, with a
    software GPU on which HIP programs run on any machine."""

    homepage = "https://libmeld.invalid"
    git = "https://libmeld.invalid/libmeld.git"

    license("Apache-2.0 WITH LLVM-exception", checked_by="libmeld")

    version("main", branch="main")

    variant("remote", default=True, description="A cache that nodes share, by Redis or HTTP")
    variant("tests", default=False, description="Build all tests, and run the quick ones")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type=("build", "test"))

    # Headers alone, or linked statically into libraries that are preloaded.
    depends_on("cli11@2.3:", type="build")
    depends_on("googletest", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("tl-expected", type="build")
    depends_on("fmt@9:")
    depends_on("spdlog@1.10: +fmt_external")
    depends_on("zstd libs=shared,static")
    depends_on("zlib-api")
    depends_on("libsodium")
    depends_on("hiredis", when="+remote")
    depends_on("curl@7.85:", when="+remote")
    depends_on("mpfr", type="build")

    # libmeld reads the bitcode that hipcc embeds and hands it to comgr: all of one release.
    for release in ("5.2.3", "5.7.1", "6.4.0"):
        for part in ("hip", "comgr", "hsa-rocr-dev"):
            depends_on(f"{part}@{release}", when=f"^llvm-amdgpu@{release}")
    depends_on("hip@5.2.3:6.4")
    depends_on("comgr")
    depends_on("hsa-rocr-dev")
    depends_on("llvm-amdgpu@5.2.3:6.4 +llvm_dylib")

    conflicts("target=aarch64:", msg="the software GPU needs a host CPU with AVX2")

    generator("ninja")

    @property
    def build_targets(self):
        if self.spec.satisfies("+tests"):
            return []
        return [
            "meld_shim",
            "meld_cli",
            "meld_cli_manual",
            "meld_gpu_program",
            "meld_gpu_program_manual",
            "meld-softgpu",
            "meld-softgpu-translate",
            "meld-jit",
            "meld-compile",
            "meld-remote",
            "MeldPasses",
            "hip_bitonic",
        ]

    def cmake_args(self):
        return [
            self.define("LLVM_DIR", self.spec["llvm-amdgpu"].prefix.lib.cmake.llvm),
            self.define("CMAKE_SKIP_INSTALL_ALL_DEPENDENCY", True),  # of build_targets alone
            self.define("MELD_HIPCC", self.spec["hip"].prefix.bin.hipcc),
        ]

    def check(self):
        if self.spec.satisfies("+tests"):
            ctest("--test-dir", self.build_directory, "-LE", "slow|rare")

    def setup_dependent_build_environment(self, env, dependent_spec):
        # hipcc adds this to every compile, whatever build system calls it. CMake's HIP language calls
        # clang++ instead, and takes its flags from HIPFLAGS.
        flags = "-Xclang -fembed-bitcode=all"
        env.append_flags("HIPCC_COMPILE_FLAGS_APPEND", flags)
        env.append_flags("HIPFLAGS", flags)

    def setup_run_environment(self, env):
        env.set("LIBMELD", find_libraries("libmeld", self.prefix, shared=True, recursive=True)[0])
