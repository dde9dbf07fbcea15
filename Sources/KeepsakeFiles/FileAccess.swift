#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The way in which a file is opened.
package enum FileAccess: Sendable, Hashable {
  /// Opens an existing file for reading.
  case reading
  /// Opens an existing file for reading and writing.
  case readingAndWriting
  /// Makes a file and opens it for reading and writing. Unless exclusive, an existing file is opened as it is.
  case creating(exclusive: Bool)

  var flags: Int32 {
    switch self {
    case .reading: O_RDONLY
    case .readingAndWriting: O_RDWR
    case .creating(exclusive: false): O_RDWR | O_CREAT
    case .creating(exclusive: true): O_RDWR | O_CREAT | O_EXCL
    }
  }
}
