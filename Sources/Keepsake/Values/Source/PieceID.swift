/// The ids of pieces of sources: the source's number and the place in the file in one integer.
enum PieceID {
  static let bits: Int64 = 28
  static let limit = 1 << bits

  static func make(source: Int64, ordinal: Int) -> Int64 { source << bits | Int64(ordinal) }

  /// Returns the place of a piece in its file.
  static func ordinal(_ id: Int64) -> Int { Int(id) & (limit - 1) }

  /// Returns the number of the source that a piece belongs to.
  static func source(_ id: Int64) -> Int64 { id >> bits }

  /// Returns the ids that the pieces of a source can have.
  static func all(of source: Int64) -> ClosedRange<Int64> {
    make(source: source, ordinal: 0)...make(source: source, ordinal: limit - 1)
  }

  /// Returns the ids that the pieces of a source can have from a place in its file on.
  static func from(_ ordinal: Int, of source: Int64) -> Range<Int64> {
    make(source: source, ordinal: ordinal)..<make(source: source + 1, ordinal: 0)
  }
}
