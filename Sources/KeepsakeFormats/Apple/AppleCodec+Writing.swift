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
    if let omission = entry.omission {
      losses.add(omission)
      return nil
    }
    if entry.entry.kind == .reasoning, form == .os26 {
      losses.add(.reasoning)
      return nil
    }
    if entry.entry.kind == .unknown {
      // From another format, or for a version that is strict, it is left out.
      let record = form == .os27 ? OutgoingRecord(verbatim: entry, format: name) : nil
      if record == nil { losses.add(.foreign) }
      return record
    }
    var writer = AppleEntryWriter(entry, form)
    return writer.record(&losses)
  }
}
