#!/usr/bin/env bash
# side_bitcode_test.sh MELD HIPCC LLVM_BIN SOURCE: MELD_BITCODE_PATH with a program that carries no bitcode. Its kernels are
# replaced from a file beside; a file that is for another object, damaged or unreadable leaves the original.
set -euo pipefail
meld=$1 hipcc=$2 llvm=$3 source=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
  echo "side bitcode: $*" >&2
  exit 1
}
export XDG_CACHE_HOME=$scratch/cache MELD_COMPILE_BUDGET_MS=0 MELD_ADAPT=static MELD_LOG_LEVEL=info

compile() { # OPTION...
  "$hipcc" "-B$llvm" --offload-arch=gfx90a -O3 "$@"
}
compile "$source" -o "$scratch/app"
compile -Xclang -fembed-bitcode=all --cuda-device-only --no-gpu-bundle-output -c "$source" -o "$scratch/with.co"
"$llvm/llvm-objcopy" --dump-section ".llvmbc=$scratch/kernels.bc" "$scratch/with.co" "$scratch/copy"
# The same kernel with one argument more.
sed 's/unsigned \*out) {/unsigned *out, unsigned) {/; s/(from, to)/(from, to, 0)/' "$source" >"$scratch/other.cpp"
compile -Xclang -fembed-bitcode=all --cuda-device-only --no-gpu-bundle-output -c "$scratch/other.cpp" -o "$scratch/other.co"
sed 's/sides/edges/' "$source" >"$scratch/named.cpp"
compile -Xclang -fembed-bitcode=all --cuda-device-only --no-gpu-bundle-output -c "$scratch/named.cpp" -o "$scratch/named.co"
compile --offload-arch=gfx908 --no-offload-arch=gfx90a -Xclang -fembed-bitcode=all --cuda-device-only --no-gpu-bundle-output -c "$source" -o "$scratch/gfx908.co"
"$llvm/llvm-readelf" -h "$scratch/with.co" >"$scratch/header"
version=$(($(sed -n 's/^ *ABI Version: *//p' "$scratch/header") + 2)) # of code objects
other_version=$((version == 5 ? 4 : 5))
compile -mcode-object-version=$other_version -Xclang -fembed-bitcode=all --cuda-device-only --no-gpu-bundle-output -c "$source" -o "$scratch/version.co"
for name in other named gfx908 version; do
  "$llvm/llvm-objcopy" --dump-section ".llvmbc=$scratch/$name.bc" "$scratch/$name.co" "$scratch/copy"
done

hash=$("$meld" inspect --format=json "$scratch/app" |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["images"][0]["hash"])')
[ ${#hash} = 64 ] || fail "meld inspect prints no hash: $hash"
mkdir "$scratch/empty" "$scratch/side"
export MELD_BITCODE_PATH=$scratch/none::$scratch/empty:$scratch/side

run() { # what the program and libmeld say; the result is always right
  local out
  out=$("$meld" run --device software --report -- "$scratch/app" 2>&1) || fail "status $?: $out"
  [[ $out == *", 0 wrong"* ]] || fail "$out"
  printf '%s\n' "$out"
}
is() { # WHAT OUTPUT TEXT: the report's counts
  [[ $2 == *"$3"* ]] || fail "$1: no '$3' in: $2"
}
is "no file" "$(run)" "without bitcode: passed through"
cp "$scratch/kernels.bc" "$scratch/side/$hash.bc"
out=$(run)
is "a file" "$out" "bitcode from $scratch/side/$hash.bc"
is "a file" "$out" "replaced code object for amdgcn-amd-amdhsa--gfx90a"
is "inspect" "$("$meld" inspect "$scratch/app")" "from MELD_BITCODE_PATH"
said=$("$meld" doctor "$scratch/app" || :)
is "doctor" "$said" "$scratch/none: No such file or directory"
is "doctor" "$said" "$scratch/side: 1 file HASH.bc"
is "doctor" "$said" "has files for 1 of 1 code objects without bitcode"
"$meld" compile "$scratch/app" -o "$scratch/melded.co" >/dev/null || fail "meld compile"
"$meld" explain sides "$scratch/app" >/dev/null || fail "meld explain"

wrong() { # WHAT
  local out
  out=$(run)
  [[ $out != *"replaced code object"* ]] || fail "$1 was used: $out"
  printf '%s\n' "$out"
}
cp "$scratch/other.bc" "$scratch/side/$hash.bc"
wrong "another argument" >/dev/null
cp "$scratch/named.bc" "$scratch/side/$hash.bc"
wrong "another kernel" >/dev/null
cp "$scratch/gfx908.bc" "$scratch/side/$hash.bc" # as many feature bits as gfx90a: its header would be the same
is "another processor" "$(wrong "another processor")" "is for gfx908, the code object is for gfx90a"
cp "$scratch/version.bc" "$scratch/side/$hash.bc"
is "another version" "$(wrong "another version")" \
  "for code-object version $other_version, the code object has version $version"
head -c 1000 "$scratch/kernels.bc" >"$scratch/side/$hash.bc"
wrong "half a file" >/dev/null
echo text >"$scratch/side/$hash.bc"
is "text" "$(wrong "text")" "$hash.bc: no LLVM bitcode at offset 0x0"
rm "$scratch/side/$hash.bc"
mkdir "$scratch/side/$hash.bc"
is "a folder" "$(wrong "a folder")" "$hash.bc: no regular file"
echo "side bitcode: PASS"
