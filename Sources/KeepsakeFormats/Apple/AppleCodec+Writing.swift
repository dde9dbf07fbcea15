import Keepsake

extension AppleCodec {
  /// Writes entries as a transcript that the framework's decoder accepts, for starting a session from it.
  /// - Parameters:
  ///   - entries: The entries, with the attachments of their segments.
  ///   - form: The version of the JSON.
  /// - Returns: The JSON, and a count of what it could not express.
  /// - Throws: What reading an artifact throws.
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
      // An unknown entry goes out only as it came from Apple, and never into version 1, whose decoder is strict.
      let record = form == .os27 ? OutgoingRecord(verbatim: entry, format: name) : nil
      if record == nil { losses.add(.foreign) }
      return record
    }
    var writer = AppleEntryWriter(entry, form)
    return writer.record(&losses)
  }
}
