import Keepsake

/// Cuts a file into parts, each of which is a session that is read as a file of its own.
protocol PartsReading {
  /// The next part; nil after the last.
  mutating func next() throws -> FilePart?
}
