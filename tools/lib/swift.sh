# shellcheck shell=bash
# Sourced. Finds swift, and says with which flags everything is built.

# The flags of everything that is built to be checked. Other flags would have everything compiled again. The index is built, too, because
# the package manager looks for tests in it.
build_flags=()
# A machine that builds everything once, and only runs the checks, sets KEEPSAKE_BUILDS_ONCE. The build has no debug information then; a crash
# still names the functions. Each module is compiled as a whole, which takes a quarter less work: otherwise each batch of a module's files reads all the
# others. A module's interface comes from the same work, and is not computed beside it once more. Whoever goes on working would wait for the whole
# module after each change.
if [[ -n ${KEEPSAKE_BUILDS_ONCE:-} ]]; then
  build_flags=(
    -debug-info-format none -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2
    -Xswiftc -no-emit-module-separately-wmo)
fi

# Puts swift on PATH where it is installed but not found (a service, a shell that reads no profile).
require_swift() {
  local folder
  for folder in "${SWIFTLY_BIN_DIR:-${HOME:-}/.local/share/swiftly/bin}" \
    /opt/swift/usr/bin /usr/local/swift/usr/bin /usr/libexec/swift/bin; do
    command -v swift >/dev/null && return
    [[ -x $folder/swift ]] && PATH=$folder:$PATH
  done
  command -v swift >/dev/null && return
  printf "Can't find Swift. Install 6.2 or newer (https://www.swift.org/install), then run this again.\n" >&2
  return 69
}

# Sets `release_flags`, with which all that is built for release is built: others would have each of two products compile
# everything again after the other. It has a folder of its own, because only one build at a time works in a folder, and this
# one takes as long as that of the tests, mostly on one core.
#
# A process that lives for a blink is as fast as it is linked. Swift's runtime is a part of the binary, as it is a part of the
# system on Apple platforms; so are the two libraries that have more names to look up, and more pages to write addresses
# into, than all of Keepsake: of libcrypto only SHA-256 is used, of libstdc++ what the runtime needs. SQLite, and the
# library that parses what others wrote, stay the system's own.
set_release_flags() {
  local folder=$1/.build/static library compiler file
  # shellcheck disable=SC2034  # read by whoever sources this
  release_flags=(--scratch-path "$1/.build/optimized")
  if [[ -n ${KEEPSAKE_BUILDS_ONCE:-} ]]; then release_flags+=(-debug-info-format none); fi
  [[ $(uname -s) == Linux ]] || return 0
  release_flags+=(--static-swift-stdlib -Xswiftc "-L$folder")
  mkdir -p "$folder"
  compiler=$(command -v clang || command -v cc) || return 0
  for library in libcrypto.a libstdc++.a; do
    # Where there is none, the compiler gives the bare name back, and the shared one is linked.
    file=$("$compiler" "-print-file-name=$library")
    if [[ $file == /* ]]; then ln -sf "$file" "$folder/$library"; fi
  done
  # The package asks pkg-config where libcrypto is, and what it answers is looked at first.
  if [[ -e $folder/libcrypto.a ]]; then
    printf 'Name: libcrypto\nDescription: libcrypto, to be linked statically\nVersion: %s\nCflags: %s\nLibs: -L%s -lcrypto\n' \
      "$(pkg-config --modversion libcrypto)" "$(pkg-config --cflags libcrypto)" "$folder" >"$folder/libcrypto.pc"
    export PKG_CONFIG_PATH=$folder${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
  fi
}

# So many tests at a time. The runner begins all of them at once otherwise: more than four hundred open stores with five
# thousand files, which takes a quarter longer, and Foundation's Process reads past the list of a process's open files where
# those are more than 1,353 (findMaximumOpenFD copies the whole of the last names' room), which may end the whole run.
limit_tests() {
  export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$1
}
