import Keepsake

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
