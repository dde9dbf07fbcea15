import Keepsake

/// Turns the entries of a session, in their order, into the records of a file. Several entries may become one record, and
/// one entry several.
protocol RecordEncoder {
  /// Takes the next entry.
  /// - Returns: The records that no later entry can add to.
  mutating func records(with entry: OutgoingEntry, _ losses: inout Losses) -> [OutgoingRecord]

  /// Ends the record that is still open, because a record follows that stood in the imported file, or none at all.
  mutating func rest() -> [OutgoingRecord]

  /// What stands behind the records of a new file.
  func suffix() -> OutgoingRecord
}

/// Writes each entry as one record, whatever stands around it.
struct SingleEntryEncoder<C: SingleRecordCodec>: RecordEncoder {
  let form: C.Form

  func records(with entry: OutgoingEntry, _ losses: inout Losses) -> [OutgoingRecord] {
    C.record(entry, as: form, &losses).map { [$0] } ?? []
  }

  func rest() -> [OutgoingRecord] { [] }

  func suffix() -> OutgoingRecord { OutgoingRecord(bytes: Array(C.envelope(form).suffix.utf8)) }
}

/// A codec of documents in which each entry is one record.
protocol SingleRecordCodec: DocumentCodec where Encoder == SingleEntryEncoder<Self> {
  /// What stands before and behind the entries of a new file.
  static func envelope(_ form: Form) -> (prefix: String, suffix: String)

  /// An entry as it stands in a file of a form; nil where it is left out, which is noted among the losses.
  static func record(_ entry: OutgoingEntry, as form: Form, _ losses: inout Losses)
    -> OutgoingRecord?
}

extension SingleRecordCodec {
  static func prefix(_ form: Form) -> String { envelope(form).prefix }

  static func encoder(_ form: Form, beside sheet: SourceSheet?) -> SingleEntryEncoder<Self> {
    SingleEntryEncoder(form: form)
  }
}
