/// Reads the records of a copy in order.
package protocol CopyReading {
  /// Returns the next record; nil at the end.
  mutating func next() throws -> CopyRecord?
}
