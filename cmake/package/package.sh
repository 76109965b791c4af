# `./dev package`: Debian packages of this tree, and an installation of them in a fresh root.
# Sourced by ./dev, whose functions it uses; the root is made as tests/matrix.sh makes its own.
#
#   exit 0  the packages are in build/package, lintian has nothing to say, and with --try they work
#        1  lintian objects, or something of ours failed
#        2  wrong usage, or not root where that is needed
#        3  the archive could not be reached
#        4  the suite's packages do not install at the moment

package_usage() {
  cat <<'USAGE'
usage: ./dev package [--try [--keep]]

  Makes Debian packages of what is in build/ (what is missing there is built first), in build/package,
  and has lintian look at them.

  --try   then installs them with apt in a fresh root of Debian 12, runs the packaged demo on the
          software GPU, removes them, compares the lists of files, and uses the CMake package and
          the plugin of opt (root only)
  --keep  leave that root, in $MELD_MATRIX_DIR (default: ~/.cache/meld-matrix)
USAGE
}

package_build() {
  setup
  local packages=(debhelper dpkg-dev lintian)
  setup
  build default meld_shim meld_cli meld_cli_manual meld_gpu_program meld_gpu_program_manual meld-softgpu \
    meld-softgpu-translate meld-jit meld-compile meld-remote MeldPasses hip_bitonic
  rm -rf build/package
  mkdir -p build/package/libmeld
  cp -r cmake/package/debian build/package/libmeld/
  local build=$PWD/build log=$PWD/build/package/log
  # There is no debug information in a build without -g, so there is no package of it.
  (cd build/package/libmeld && MELD_BUILD=$build DEB_BUILD_OPTIONS=noautodbgsym \
    dpkg-buildpackage -b -us -uc) >"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    say "package: dpkg-buildpackage failed; whole log: $log"
    exit 1
  }
  rm -rf build/package/libmeld
  say "package: lintian"
  lintian --allow-root --fail-on error,warning build/package/*.changes || exit 1
  ls -sh build/package/*.deb
}

# What is in the root, but for what apt and dpkg keep of their own doings, and what was mounted.
package_files() { # root
  (cd "$1" && find . -xdev \( -path ./src -o -path ./build -o -path ./ccache -o -path ./tmp -o -path ./dev \
    -o -path ./proc -o -path ./sys -o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log \
    -o -path ./var/lib/dpkg \) -prune -o -printf '%p %y %l\n' | sort)
}

# As a user without rights runs it, and with nothing of this shell's environment.
package_user() { # root command [arguments...]
  local root=$1
  shift
  matrix_in "$root" setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp/home "$@"
}

package_expect() { # what, pattern, text
  grep -qE -- "$2" <<<"$3" || {
    printf '%s\n' "$3" >&2
    say "package: $1: nothing in its output is like '$2'"
    exit 1
  }
  say "package: $1: $(grep -m1 -E -- "$2" <<<"$3")"
}

package_use() { # root
  local root=$1 out libraries=/usr/lib/x86_64-linux-gnu/libmeld
  local demo=$libraries/demo/bitonic
  out=$(package_user "$root" meld run --device software --report -- $demo 2>&1) || say "status $?"
  package_expect "meld run" 'PASS' "$out"
  package_expect "meld run" 'replaced [1-9]' "$out"
  out=$(package_user "$root" MELD_REPORT=1 LD_PRELOAD=libmeld.so:$libraries/libmeld-softgpu.so $demo 2>&1) ||
    say "status $?"
  package_expect "LD_PRELOAD=libmeld.so" 'replaced [1-9]' "$out"
  out=$(package_user "$root" MELD_CACHE=0 MELD_COMPILER=process meld run --device software --report -- $demo 2>&1) ||
    say "status $?"
  package_expect "a process for the compiler" 'replaced [1-9]' "$out"
  out=$(package_user "$root" meld-gpu coverage --target gfx90a) || say "status $?"
  package_expect "meld-gpu" '[0-9]+ of [0-9]+ opcodes execute' "$out"
  out=$(package_user "$root" meld doctor $demo) || {
    printf '%s\n' "$out" >&2
    say "package: meld doctor finds a problem"
    exit 1
  }
  for page in meld.1.gz meld-gpu.1.gz; do
    [ -e "$root/usr/share/man/man1/$page" ] || { say "package: no $page"; exit 1; }
  done
}

package_develop() { # root packages...
  local root=$1 out modules
  shift
  matrix_apt "$root" install cmake llvm-15 ninja-build "$@"
  # The consumer has no language, so it has to be told where the architecture's libraries are.
  out=$(package_user "$root" bash -ec '
    cmake -G Ninja -S /src/libmeld/tests/install/consumer -B /tmp/home/consumer \
      -DCMAKE_LIBRARY_ARCHITECTURE=x86_64-linux-gnu \
      -DPROGRAM=/usr/lib/x86_64-linux-gnu/libmeld/demo/bitonic
    ctest --test-dir /tmp/home/consumer --output-on-failure' 2>&1) || say "status $?"
  package_expect "find_package(libmeld)" '100% tests passed' "$out"
  out=$(package_user "$root" bash -ec 'echo "define void @f() { ret void }" |
    opt-15 -load-pass-plugin /usr/lib/x86_64-linux-gnu/libmeld/MeldPasses.so -passes=meld -S' 2>&1) ||
    say "status $?"
  package_expect "opt" 'define void @f' "$out"
  # Module files belong to an installation in a prefix of its own.
  cmake --install build --prefix "$root/tmp/home/prefix" >/dev/null
  for modules in environment-modules:/usr/share/modules lmod:/usr/share/lmod/lmod; do
    matrix_apt "$root" install "${modules%:*}" # one takes the place of the other
    out=$(package_user "$root" bash -c '
      . "$0"
      module use /tmp/home/prefix/share/libmeld/modulefiles
      module load libmeld
      [ -e "$LIBMELD" ] && command -v meld && meld doctor | grep "libmeld.so "' "${modules#*:}/init/bash" 2>&1) || say "status $?"
    package_expect "module load (${modules%:*})" 'ok +libmeld.so +/tmp/home/prefix/' "$out"
  done
}

package_try() { # keep: 0 or 1
  local suite=bookworm also=() root before after debs
  # shellcheck source=tests/matrix.sh
  source tests/matrix.sh
  export MELD_MATRIX_DIR=${MELD_MATRIX_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/meld-matrix}
  mkdir -p "$MELD_MATRIX_DIR"
  root=$MELD_MATRIX_DIR/root-package
  [ "$1" = 1 ] || trap 'rm -rf --one-file-system "$MELD_MATRIX_DIR/root-package"' EXIT
  matrix_base "$root"
  matrix_apt "$root" update
  matrix_in "$root" install -d -o 65534 /tmp/home
  before=$(package_files "$root")
  debs=(build/package/*.deb)
  debs=("${debs[@]/#//src/libmeld/}")
  say "package: apt install ${debs[*]##*/}"
  matrix_apt "$root" install "${debs[@]}"
  package_use "$root"
  matrix_apt "$root" purge libmeld libmeld-tools libmeld-passes libmeld-dev
  matrix_apt "$root" autoremove --purge
  after=$(package_files "$root")
  if ! diff <(echo "$before") <(echo "$after"); then
    say "package: apt purge left that (>), or took it (<)"
    exit 1
  fi
  say "package: apt purge left nothing"
  package_develop "$root" "${debs[@]}"
}

package() {
  local try=0 keep=0
  while [ $# -gt 0 ]; do
    case $1 in
    --try) try=1 ;;
    --keep) keep=1 ;;
    -h | --help | help) package_usage && return 0 ;;
    *) echo "./dev package: unknown option $1" >&2 && exit 2 ;;
    esac
    shift
  done
  if [ $try = 1 ] && [ "$(id -u)" -ne 0 ]; then
    echo "./dev package --try makes and enters a Debian root: run it as root" >&2
    exit 2
  fi
  package_build
  [ $try = 0 ] || package_try $keep
}
