import Keepsake

extension AppleCodec {
  /// A transcript of these entries, as the framework's decoder takes it: for starting a session from.
  /// - Parameters:
  ///   - entries: Entries with what stands at their attachment segments.
  ///   - form: The version of the JSON.
  /// - Returns: The JSON, and what it could not express.
  package static func encode(_ entries: [OutgoingEntry], as form: Form) async throws
    -> (json: [UInt8], losses: Losses)
  {
    let (prefix, suffix) = envelope(form)
    var json = Array(prefix.utf8)
    var losses = Losses()
    var isFirst = true
    for entry in entries {
      guard let record = record(entry, as: form, &losses) else { continue }
      if !isFirst { json.append(UInt8(ascii: ",")) }
      isFirst = false
      try await record.write { json += $0 }
    }
    return (json + Array(suffix.utf8), losses)
  }

  static func record(_ entry: OutgoingEntry, as form: Form, _ losses: inout Losses)
    -> OutgoingRecord?
  {
    if let omission = entry.entry.omission {
      losses.add(omission)
      return nil
    }
    if entry.entry.kind == .reasoning, form == .os26 {
      losses.add(.reasoning)
      return nil
    }
    if entry.entry.kind == .unknown { return unknown(entry, as: form, &losses) }
    var writer = AppleEntryWriter(entry, form)
    return writer.record(&losses)
  }

  /// An entry that was kept as it came; from another format, or for a version that is strict, it is left out.
  private static func unknown(_ entry: OutgoingEntry, as form: Form, _ losses: inout Losses)
    -> OutgoingRecord?
  {
    let type = "\(name).entry"
    if form == .os27, entry.entry.segments.count == 1 {
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
