#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Repeats a system call while a signal interrupts it.
@inline(__always)
func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}

/// Throws where a path can't be passed to C, which ends a text at its first NUL byte.
func checkPath(_ path: String) throws(FileError) {
  guard !path.isEmpty, !path.utf8.contains(0) else {
    throw FileError(
      code: .invalid, message: "Can't use '\(path)' as a path: it is empty or has a NUL byte.",
      path: path)
  }
}
