import Keepsake

/// Turns the entries of a session, in order, into the records of a file.
///
/// Several entries may become one record, and one entry several records.
protocol RecordEncoder {
  /// Takes the next entry.
  /// - Returns: The records to which no later entry can be added.
  mutating func records(with entry: OutgoingEntry, _ losses: inout Losses) -> [OutgoingRecord]

  /// Ends the open record, because a record of the imported file follows, or the end of the file.
  mutating func rest() -> [OutgoingRecord]

  /// The text after the records of a new file.
  func suffix() -> OutgoingRecord
}
