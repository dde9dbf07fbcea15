import Keepsake

/// Cuts a file into parts, each of which is a session that is read as a file of its own.
protocol PartsReading {
  /// The next part; nil after the last.
  mutating func next() throws -> FilePart?
}

/// A session in a file that holds several.
struct FilePart {
  let file: ForeignFile
  /// The number of the part's line or element in the file, counted from 1.
  let number: Int
  /// The number of bytes of the file up to the end of the part.
  let end: Int64
}
