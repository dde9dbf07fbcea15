import Keepsake

extension AnyLanguageModelCodec {
  static func record(_ entry: OutgoingEntry, as form: Form, _ losses: inout Losses)
    -> OutgoingRecord?
  {
    if let omission = entry.omission {
      losses.add(omission)
      return nil
    }
    switch entry.entry.kind {
    case .reasoning:
      losses.add(.reasoning)
      return nil
    case .unknown:
      let record = OutgoingRecord(verbatim: entry, format: name)
      if record == nil { losses.add(.foreign) }
      return record
    default:
      var writer = AnyLanguageModelEntryWriter(entry)
      return writer.record(&losses)
    }
  }
}
