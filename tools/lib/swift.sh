# shellcheck shell=bash
# Sourced. Puts swift on PATH where it is installed but not found (a service, a shell that reads no profile).

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
