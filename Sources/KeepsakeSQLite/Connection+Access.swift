import CKeepsakeSQLite

extension Connection {
  /// The ways in which a connection may use its file.
  package enum Access: Sendable {
    /// Reads and writes a database that exists.
    case readWrite
    /// Reads and writes a database like `readWrite`, but creates the file if there is none, in write-ahead-log mode.
    case create
    /// Reads only, but may write the shared-memory file beside the database, as every reader does.
    case readOnly
    /// Reads without changing a byte of any file, also from read-only media, and where the log or its index is missing.
    ///
    /// This process must not have opened the file with any other access that is still open, because connections share the
    /// shared-memory file.
    case readOnlyUntouched
  }
}

extension Connection.Access {
  /// Whether a connection with this access can change the database.
  package var isWriting: Bool {
    switch self {
    case .readWrite, .create: true
    case .readOnly, .readOnlyUntouched: false
    }
  }

  var flags: Int32 {
    let always = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    return switch self {
    case .readWrite: always | SQLITE_OPEN_READWRITE
    case .create: always | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .readOnly: always | SQLITE_OPEN_READONLY
    case .readOnlyUntouched: always | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    }
  }

  /// The name of the SQLite file layer (VFS) that the connection opens files with; nil for SQLite's default.
  var layer: String? {
    switch self {
    case .readWrite, .create: FileLayer.writing
    case .readOnly: nil
    case .readOnlyUntouched: FileLayer.untouched
    }
  }

  /// Returns the file name for SQLite.
  ///
  /// The name is a URI only for `readOnlyUntouched`, which needs a parameter, because a URI can also turn locking off.
  func name(of path: String) -> String {
    switch self {
    case .readWrite, .create, .readOnly: path
    case .readOnlyUntouched: "\(Self.uri(of: path))?mode=ro&readonly_shm=1"
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
