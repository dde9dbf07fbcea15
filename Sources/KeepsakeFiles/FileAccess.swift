#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What a file is opened for.
public enum FileAccess: Sendable, Hashable {
  /// Reading a file that is there.
  case reading
  /// Reading and writing a file that is there.
  case readingAndWriting
  /// Reading and writing a file that is made; unless exclusive, one that is there is taken as it is.
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
