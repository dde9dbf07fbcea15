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

/// Writes each entry as one record, independently of other entries.
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
  /// The text before and after the entries of a new file.
  static func envelope(_ form: Form) -> (prefix: String, suffix: String)

  /// The record of an entry in a form; nil where the entry is left out, which is counted among the losses.
  static func record(_ entry: OutgoingEntry, as form: Form, _ losses: inout Losses)
    -> OutgoingRecord?
}

extension SingleRecordCodec {
  static func prefix(_ form: Form) -> String { envelope(form).prefix }

  static func encoder(_ form: Form, beside sheet: SourceSheet?) -> SingleEntryEncoder<Self> {
    SingleEntryEncoder(form: form)
  }
}
