import CSQLite

extension Connection {
  /// What a connection may do with its file.
  public enum Access: Sendable {
    /// Reads and writes a database that exists.
    case readWrite
    /// As `readWrite`, for a database that nobody else has open: makes no shared-memory file. It may leave the log,
    /// and all else, as it is. Fails as busy when somebody has the database open.
    case readWriteAlone
    /// As `readWrite`; makes the file when there is none, and puts it into write-ahead-log mode.
    case create
    /// Reads only; may write the shared-memory file beside the database, as every reader does.
    case readOnly
    /// Reads without changing a byte of any file, as long as this process has no other connection to
    /// the file: they share the shared-memory file. Fails when that is missing beside a log.
    case readOnlyUntouched
    /// Reads a file that nobody changes, such as one on read-only media: no locks, no log.
    case immutable
  }
}

extension Connection.Access {
  /// Whether the connection can change the database.
  public var isWriting: Bool {
    switch self {
    case .readWrite, .readWriteAlone, .create: true
    case .readOnly, .readOnlyUntouched, .immutable: false
    }
  }

  var flags: Int32 {
    let always = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    return switch self {
    case .readWrite, .readWriteAlone: always | SQLITE_OPEN_READWRITE
    case .create: always | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .readOnly: always | SQLITE_OPEN_READONLY
    case .readOnlyUntouched, .immutable: always | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    }
  }

  /// The file name for SQLite: a URI only where nothing else can say it, because a URI can also turn
  /// locking off.
  func name(of path: String) -> String {
    switch self {
    case .readWrite, .readWriteAlone, .create, .readOnly: path
    case .readOnlyUntouched: "\(Self.uri(of: path))?mode=ro&readonly_shm=1"
    case .immutable: "\(Self.uri(of: path))?mode=ro&immutable=1"
    }
  }

  private static func uri(of path: String) -> String {
    var uri: [UInt8] = Array((path.utf8.first == UInt8(ascii: "/") ? "file://" : "file:").utf8)
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
        uri.append(byte)
      default:
        uri += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: uri, as: UTF8.self)
  }
}
