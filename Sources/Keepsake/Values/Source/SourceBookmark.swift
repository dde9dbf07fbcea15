/// The place where the reading of a foreign file ended, with the state of its reader.
package struct SourceBookmark: Sendable, Equatable {
  /// The end of the last record, after which the file had only blanks.
  package let offset: Int64
  /// The line of the last record, counted from 1.
  package let line: Int
  /// The state of the reader, in the reader's own encoding.
  package let reader: [UInt8]

  package init(offset: Int64, line: Int, reader: [UInt8]) {
    self.offset = offset
    self.line = line
    self.reader = reader
  }
}
