#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The name of this machine in its network.
package enum HostName {
  /// The name without its domain; nil where the system gives none.
  package static var short: String? {
    // The last byte stays 0, because a name that is cut has no end.
    var bytes = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return nil }
    let name = bytes.map { UInt8(bitPattern: $0) }.prefix { $0 != 0 && $0 != UInt8(ascii: ".") }
    return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
  }
}
