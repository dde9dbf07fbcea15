#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Finds the file of this process's own program.
package enum ProgramPath {
  /// The real path of the program; nil where the system does not tell it.
  package static var current: String? {
    #if canImport(Darwin)
      var size: UInt32 = 0
      _ = unsafe _NSGetExecutablePath(nil, &size)
      var bytes = [CChar](repeating: 0, count: Int(size) + 1)
      guard unsafe _NSGetExecutablePath(&bytes, &size) == 0 else { return nil }
      let path = String(
        decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      return FileStatus.resolvedPath(path)
    #else
      return FileStatus.resolvedPath("/proc/self/exe")
    #endif
  }
}
