/// An entry with what is attached to it, ready to be written.
struct PreparedAppend: Renewable {
  let entry: PreparedEntry
  let attachments: [PreparedAttachment]
  let texts: LargeTexts

  /// Encodes the entry and takes its attachments' bytes in.
  init(
    _ entry: Entry, attaching attachments: [Entry.NewAttachment] = [], salts: inout Salts,
    core: StoreCore
  ) async throws {
    var entry = entry
    for index in attachments.indices where entry.segment(ofAttachment: index) == nil {
      entry.segments.append(.attachment(index))
    }
    self.entry = try PreparedEntry(entry, salt: salts.next())
    var prepared: [PreparedAttachment] = []
    for (index, attachment) in attachments.enumerated() {
      var attachment = attachment
      if attachment.segment == nil { attachment.segment = entry.segment(ofAttachment: index) }
      prepared.append(try await PreparedAttachment(attachment, salt: salts.next(), core: core))
    }
    self.attachments = prepared
    texts = try await LargeTexts(of: entry, core: core)
  }

  init(_ entry: PreparedEntry, attachments: [PreparedAttachment], texts: LargeTexts) {
    self.entry = entry
    self.attachments = attachments
    self.texts = texts
  }

  func renewed(_ core: StoreCore) async throws -> PreparedAppend {
    PreparedAppend(
      entry, attachments: try await attachments.renewed(core), texts: try await texts.renewed(core))
  }

  /// About how much it adds to a transaction.
  var size: Int {
    attachments.reduce(entry.body.count) { $0 + ($1.artifact?.inlineSize ?? 0) }
  }
}

extension Entry {
  func segment(ofAttachment index: Int) -> Int? {
    segments.firstIndex { $0.content == .attachment(index) }
  }
}
