/// Reads a foreign file from its first byte to its last.
package protocol SourceReading {
  /// Reads the next record; nil at the end. All records together are the file, byte for byte.
  mutating func next() throws -> SourceRecord?

  /// The facts about the session in the records so far.
  var facts: SourceFacts { get }

  /// The place where a later reading may continue when the file has grown; nil before the end, and if none can.
  var bookmark: SourceBookmark? { get }
}

extension SourceReading {
  package var facts: SourceFacts { SourceFacts() }

  package var bookmark: SourceBookmark? { nil }
}
