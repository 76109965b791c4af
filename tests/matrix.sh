# `./dev matrix SUITE`: this tree in a Debian root of another suite, so with another ROCm and LLVM.
# Sourced by ./dev, whose list of packages it reads. The root, the build in it and its compiler cache
# are kept in $MELD_MATRIX_DIR (default: ~/.cache/meld-matrix); nothing is written to the checkout.
#
#   exit 0  built, and what was asked for passed: the tests, where nothing else was said
#        1  built or tested, and something of ours failed
#        2  wrong usage, or not root
#        3  the archive could not be reached
#        4  the suite's packages do not install at the moment: a break of the suite, not ours

matrix_usage() {
  cat <<'USAGE'
usage: ./dev matrix table
       ./dev matrix SUITE [--quick] [-R REGEX] [--demo] [--update] [--shell]

  table       one table of the host's build and those in the roots: what arrives there, in which way, on which
              target (tests Arrivals*; a root without a build is left out)
  SUITE       trixie (ROCm 5.7, LLVM 17) or sid (ROCm 6.4, LLVM 21): builds and runs the tests
  --quick     leave out the tests labelled slow
  -R REGEX    these tests only
  --demo      the demo and the tests Arrivals* (every way for code to arrive) only
  --prebuilt[=NAME[,SECONDS[,TARGET]]]
              Debian's prebuilt test programs of rocPRIM, hipCUB, rocThrust, rocRAND and hipRAND, in sid of
              rocSPARSE and rocSOLVER too, on the software GPU instead of the tests: those with NAME in
              their name, SECONDS each (20), on TARGET (gfx90a)
  --llama[=TARGET,...]
              sid: small models through Debian's prebuilt HIP backend of llama.cpp, plain and with libmeld
              preloaded, their logits against the CPU's (default: all targets that it has code for)
  --llama-ops[=TARGET,...]
              sid: a sample of llama.cpp's own test of its operations (default: gfx90a,gfx1100)
  --bench[=TARGET,...]
              the benchmark programs, original against libmeld, as one table (default: gfx90a, gfx942, gfx1030, gfx1100)
  --update    bring the root's packages up to date first
  --shell     a shell in the root: the tree is in /src/libmeld, the build in /build
  --also LIST more packages, comma separated

Needs root. MELD_MATRIX_DIR says where the roots are kept.
USAGE
}

# The archive and the apt settings of the host: a site's mirror and proxy serve the root, too.
matrix_mirror() {
  local uri
  uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' \
    2>/dev/null | head -n 1) || true
  echo "${uri:-http://deb.debian.org/debian/}"
}

matrix_apt_settings() {
  local key value
  for key in Acquire::http::Proxy Acquire::https::Proxy Acquire::Check-Valid-Until \
    Acquire::Check-Date; do
    value=
    eval "$(apt-config shell value "$key")"
    [ -z "$value" ] || printf '%s "%s";\n' "$key" "$value"
  done
  printf '%s\n' 'APT::Install-Recommends "false";' 'Acquire::Languages "none";' \
    'Acquire::Retries "3";'
}

# Runs a command in the root, in mount and process namespaces of its own: its mounts and whatever it
# leaves running end with it.
matrix_in() { # root command [arguments...]
  local root=$1
  shift
  mkdir -p "$root/src/libmeld" "$root/build" "$root/ccache" "$MELD_MATRIX_DIR/ccache-$suite"
  unshare --mount --propagation private --pid --fork --kill-child bash -ec '
    root=$1 ccache=$2
    shift 2
    mount --bind "$PWD" "$root/src/libmeld"
    mount -o remount,bind,ro "$root/src/libmeld"
    mount --bind "$ccache" "$root/ccache"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --rbind /sys "$root/sys"
    for file in /etc/resolv.conf /etc/hosts; do
      [ ! -e "$file" ] || { touch "$root$file"; mount --bind "$(readlink -f "$file")" "$root$file"; }
    done
    exec chroot "$root" /usr/bin/env -i HOME=/root TERM="${TERM:-dumb}" LANG=C.UTF-8 \
      PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive CCACHE_DIR=/ccache \
      ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "$@"
  ' matrix "$root" "$MELD_MATRIX_DIR/ccache-$suite" "$@"
}

# apt-get in the root; tells an archive that is out of reach from packages that do not fit together.
matrix_apt() { # root arguments...
  local root=$1 log=$MELD_MATRIX_DIR/apt-$suite.log
  shift
  matrix_in "$root" apt-get -q -y "$@" >"$log" 2>&1 && return 0
  grep -E '^(E:|W: Failed)|Depends:|Conflicts:|Breaks:|not going to be installed' "$log" >&2 ||
    tail -n 20 "$log" >&2
  if grep -qE 'Failed to fetch|Could not resolve|Unable to connect|Temporary failure' "$log"; then
    say "matrix $suite: the archive $(matrix_mirror) could not be reached"
    exit 3
  fi
  say "matrix $suite: the suite's packages do not install at the moment (apt's message is above);" \
    "this is a break of $suite, not of libmeld. Whole log: $log"
  exit 4
}

# The packages of ./dev for the suite: those of LLVM follow the version that the suite's hipcc uses.
matrix_packages() { # LLVM version
  local p
  for p in "${packages[@]}"; do
    case $p in
    clang-format-* | clang-tidy-* | chromium) ;; # for people, not for the build
    llvm-*-dev | llvm-*-tools) echo "llvm-$1-${p##*-}" ;;
    clang-* | lld-*) echo "${p%-*}-$1" ;;
    *) echo "$p" ;;
    esac
  done
}

# A base system with apt, in a folder that is emptied first.
matrix_base() { # root [options of mmdebstrap...]
  local root=$1
  shift
  command -v mmdebstrap >/dev/null || {
    say "installing mmdebstrap"
    apt-get install -y -q --no-install-recommends mmdebstrap >&2
  }
  say "matrix $suite: making $root from $(matrix_mirror)"
  rm -rf --one-file-system "$root"
  mkdir -p "$root"
  matrix_apt_settings >"$MELD_MATRIX_DIR/apt-$suite.conf"
  mmdebstrap --variant=apt --mode=root --aptopt="$MELD_MATRIX_DIR/apt-$suite.conf" "$@" "$suite" "$root" \
    "deb $(matrix_mirror) $suite main" >"$MELD_MATRIX_DIR/root-$suite.log" 2>&1 || {
    tail -n 20 "$MELD_MATRIX_DIR/root-$suite.log" >&2
    say "matrix $suite: the base system could not be made; is the archive in reach?"
    exit 3
  }
}

matrix_root() {
  local root=$1 update=$2 wanted version
  if [ ! -e "$root/.meld-made" ]; then
    matrix_base "$root" --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
      --dpkgopt='path-exclude=/usr/share/locale/*'
    touch "$root/.meld-made"
    update=1
  fi
  wanted=$(printf '%s\n' "${packages[@]}" "${also[@]}" | sha256sum)
  [ "$update" = 1 ] || [ "$wanted" != "$(cat "$root/.meld-packages" 2>/dev/null)" ] || return 0
  say "matrix $suite: packages"
  rm -f "$root/.meld-packages"
  matrix_apt "$root" update
  matrix_apt "$root" dist-upgrade
  matrix_apt "$root" install hipcc
  version=$(matrix_in "$root" hipcc --version 2>/dev/null | sed -n 's/.*clang version \([0-9]*\).*/\1/p')
  # shellcheck disable=SC2046 # one word a package
  matrix_apt "$root" install $(matrix_packages "$version") "${also[@]}"
  echo "$wanted" >"$root/.meld-packages"
}

# Tests that fail on a suite for what is not ours; a regular expression for ctest.
matrix_known() { # suite
  # HIP 6.4's own exit handler faults on a thread that is not the first, without libmeld, too.
  [ "$1" != sid ] || echo exitFromThread
}

matrix_table() {
  local suite root known status=0 heading=--heading
  if [ -x build/bin/arrivals_test ]; then
    tests/matrix_table.py build $heading || status=1
    heading=
  fi
  for suite in trixie sid; do
    root=$MELD_MATRIX_DIR/root-$suite
    [ -x "$root/build/bin/arrivals_test" ] || continue
    known=$(matrix_known "$suite")
    # shellcheck disable=SC2086 # words
    matrix_in "$root" python3 /src/libmeld/tests/matrix_table.py /build $heading ${known:+--leave-out $known} || status=1
    heading=
  done
  [ -z "$heading" ] || say "matrix table: there is no build, neither here nor in $MELD_MATRIX_DIR"
  return $status
}

matrix() {
  local suite=${1:-} update=0 what=test leave_out=rare ctest=() also=() prebuilt= more root log
  case $suite in
  trixie | sid | table) ;;
  -h | --help | help) matrix_usage && return 0 ;;
  *) matrix_usage >&2 && exit 2 ;;
  esac
  shift
  while [ $# -gt 0 ]; do
    case $1 in
    --quick) leave_out='slow|rare' ;;
    -R) what=test ctest+=(-R "${2:?-R needs an expression}") && shift ;;
    --demo) what=demo ;;
    --prebuilt | --prebuilt=*)
      what=prebuilt
      prebuilt=${1#--prebuilt} && prebuilt=${prebuilt#=}
      also+=(librocprim-tests libhipcub-tests librocthrust-tests librocrand1-tests libhiprand1-tests)
      [ "$suite" != sid ] || also+=(librocsparse1-tests librocsparse1-tests-data librocsolver0-tests)
      ;;
    --bench | --bench=*)
      what=bench
      prebuilt=${1#--bench} && prebuilt=${prebuilt#=}
      ;;
    --llama | --llama=* | --llama-ops | --llama-ops=*)
      [ "$suite" = sid ] || { echo "./dev matrix: $suite has no llama.cpp for HIP; sid does" >&2 && exit 2; }
      what=${1%%=*} && what=${what#--}
      [ "$1" = "--$what" ] || prebuilt=${1#*=}
      also+=(libggml0-backend-hip libllama-dev libggml-dev llama.cpp-tools llama.cpp-tests)
      ;;
    --update) update=1 ;;
    --shell) what=shell ;;
    --also) IFS=, read -ra more <<<"${2:?--also needs packages}" && also+=("${more[@]}") && shift ;;
    *) echo "./dev matrix: unknown option $1" >&2 && exit 2 ;;
    esac
    shift
  done
  if [ "$(id -u)" -ne 0 ]; then
    echo "./dev matrix makes and enters a Debian root: run it as root (sudo ./dev matrix $suite)" >&2
    exit 2
  fi
  export MELD_MATRIX_DIR=${MELD_MATRIX_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/meld-matrix}
  mkdir -p "$MELD_MATRIX_DIR"
  if [ "$suite" = table ]; then
    matrix_table
    return
  fi
  root=$MELD_MATRIX_DIR/root-$suite
  log=$MELD_MATRIX_DIR/$suite.log
  matrix_root "$root" "$update"

  say "matrix $suite: $(matrix_in "$root" dpkg-query -W -f='${Package} ${Version}, ' \
    hipcc 'libamdhip64-?' 'libhsa-runtime64-*' 'libamd-comgr?' 2>/dev/null)build in $root/build"
  [ "$what" != shell ] || { matrix_in "$root" bash; return; }
  local targets=() status=0
  [ "$what" = test ] ||
    targets=(meld_shim meld_cli meld-softgpu meld-softgpu-translate meld-jit bench_kernels meld_bench
      arrivals_test)
  [ "$what" != prebuilt ] || targets=(meld-softgpu meld-softgpu-translate)
  [ "$what" != bench ] || targets=(meld_shim meld_cli meld-softgpu meld-softgpu-translate meld-jit bench_kernels meld_bench)
  [[ $what != llama* ]] || targets=(meld-softgpu meld-softgpu-translate meld_shim meld-jit)
  # These ROCms know what Debian 12 does not.
  local e2e='gfx942;gfx1030;gfx1100'
  [ "$suite" != sid ] || e2e+=';gfx1201'
  if ! matrix_in "$root" bash -ec '
    cmake -S /src/libmeld -B /build -G Ninja "-DMELD_E2E_TARGETS=$1" "-DMELD_BENCH_ARCHS=gfx90a;gfx942;gfx1030;gfx1100"
    shift
    exec nice -n 5 cmake --build /build -- -k 0 ${1:+"$@"}' build "$e2e" "${targets[@]}" >"$log" 2>&1; then
    grep -E 'error:|FAILED:|CMake Error' "$log" | head -n 40 >&2
    say "matrix $suite: the build failed; whole log: $log"
    [ "$what" = test ] || exit 1
    status=1 # the tests that were built still say something
  fi
  if [ "$what" = demo ]; then
    matrix_in "$root" /build/bin/meld-bench demo || status=1
    ctest+=(-R 'Arrivals' --no-tests=error)
  fi
  [ -z "$(matrix_known "$suite")" ] || ctest+=(-E "$(matrix_known "$suite")")
  if [ "$what" = prebuilt ]; then
    local name seconds cpu
    IFS=, read -r name seconds cpu <<<"$prebuilt"
    matrix_in "$root" python3 /src/libmeld/tests/prebuilt.py --library /build/lib/libmeld-softgpu.so \
      --only "$name" --seconds "${seconds:-20}" ${cpu:+--cpu "$cpu"} | tee "$log.prebuilt" || status=1
    [ "$status" = 0 ] || exit 1
    return
  fi
  if [ "$what" = bench ]; then
    # shellcheck disable=SC2046 # one word a target
    matrix_in "$root" python3 /src/libmeld/bench/runner/targets.py /build \
      $(tr , ' ' <<<"${prebuilt:-gfx90a,gfx942,gfx1030,gfx1100}") | tee "$log.bench" || status=1
    [ "$status" = 0 ] || exit 1
    return
  fi
  if [[ $what = llama* ]]; then
    local script=run.py options=(--library /build/lib ${prebuilt:+--targets "$prebuilt"})
    if [ "$what" = llama ]; then options+=(--scratch /build/llama); else script=ops.py; fi
    matrix_in "$root" python3 "/src/libmeld/tests/llama/$script" "${options[@]}" | tee "$log.$what" || status=1
    [ "$status" = 0 ] || exit 1
    return
  fi
  matrix_in "$root" ctest --test-dir /build -j "$(nproc)" --output-on-failure --output-junit tests.xml \
    -LE "$leave_out" "${ctest[@]}" >"$log.tests" 2>&1 || status=1
  sed -n '/tests passed/,$p' "$log.tests"
  matrix_in "$root" python3 /src/libmeld/tests/skips/skips.py /build/tests.xml || true
  say "matrix $suite: whole log: $log.tests"
  [ "$status" = 0 ] || exit 1
}
