import Keepsake

/// Writes each entry as one record, independently of other entries.
struct SingleEntryEncoder<C: SingleRecordCodec>: RecordEncoder {
  let form: C.Form

  func records(with entry: OutgoingEntry, _ losses: inout Losses) -> [OutgoingRecord] {
    C.record(entry, as: form, &losses).map { [$0] } ?? []
  }

  func rest() -> [OutgoingRecord] { [] }

  func suffix() -> OutgoingRecord { OutgoingRecord(bytes: Array(C.envelope(form).suffix.utf8)) }
}
