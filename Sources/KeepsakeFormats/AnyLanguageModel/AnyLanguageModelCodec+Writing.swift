import Keepsake

extension AnyLanguageModelCodec {
  static func record(_ entry: OutgoingEntry, as form: Form, _ losses: inout Losses)
    -> OutgoingRecord?
  {
    if let omission = entry.entry.omission {
      losses.add(omission)
      return nil
    }
    switch entry.entry.kind {
    case .reasoning:
      losses.add(.reasoning)
      return nil
    case .unknown: return unknown(entry, &losses)
    default:
      var writer = AnyLanguageModelEntryWriter(entry)
      return writer.record(&losses)
    }
  }

  private static func unknown(_ entry: OutgoingEntry, _ losses: inout Losses) -> OutgoingRecord? {
    let type = "\(name).entry"
    if entry.entry.segments.count == 1 {
      if case .opaque(let json, type: type) = entry.entry.segments[0].content {
        return OutgoingRecord(bytes: json.bytes)
      }
      if let attachment = entry.attachments[0], attachment.isPresent,
        OpaqueType.name(of: attachment.mediaType) == type
      {
        return OutgoingRecord(
          bytes: [], holes: [.init(position: 0, attachment: attachment, isBase64: false)])
      }
    }
    losses.add(.foreign)
    return nil
  }
}
