/// The beginning of a file whose format is to be found out.
struct FileHead {
  static let size: Int64 = 256 << 10

  let bytes: [UInt8]
  /// The bytes, sketched as one JSON document.
  let document: HeadSketch
  /// The first lines of the file that hold an object, as each line of JSON Lines does, each read as a document of its own.
  let lines: [HeadSketch]
  /// The names of the tables of a SQLite database; empty for other files, and for a database that can't be read.
  let tables: Set<String>

  init(_ bytes: [UInt8], tables: Set<String> = []) {
    self.bytes = bytes
    self.tables = tables
    document = HeadSketch(bytes)
    lines = bytes.split(separator: 0x0A, maxSplits: 32, omittingEmptySubsequences: true)
      .filter(Self.holdsObject).prefix(16).map { HeadSketch($0) }
  }

  init(_ file: ForeignFile) throws {
    let bytes = try file.read(0..<min(file.size, Self.size))
    self.init(bytes, tables: ForeignDatabase.isOne(bytes) ? ForeignDatabase.tables(of: file) : [])
  }

  /// Returns whether a line's first byte is a brace, apart from white space and a byte order mark.
  private static func holdsObject(_ line: ArraySlice<UInt8>) -> Bool {
    line.first { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) } == UInt8(ascii: "{")
  }

  /// Whether the file is a tar archive.
  var isTar: Bool { bytes.dropFirst(257).starts(with: Array("ustar".utf8)) }

  /// Whether the file holds only white space, or the zero bytes of a file that a crash emptied.
  var isEmpty: Bool { bytes.allSatisfy { $0 <= 0x20 } }
}
