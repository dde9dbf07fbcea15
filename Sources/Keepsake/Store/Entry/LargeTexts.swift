import KeepsakeFiles

/// The texts of an entry that are too large for a row of the database, which are kept as artifacts that the body names.
struct LargeTexts: Intaking {
  static let none = LargeTexts()

  private(set) var attachments: [PreparedAttachment]

  init(_ attachments: [PreparedAttachment] = []) { self.attachments = attachments }

  init(of entry: Entry) throws {
    var prepared: [PreparedAttachment] = []
    for (index, segment) in entry.segments.enumerated() {
      guard let text = segment.text, text.utf8.count > LargeText.limit else { continue }
      var attachment = Entry.NewAttachment(
        ArtifactSource(origin: .text(text)), mediaType: .plainText)
      attachment.direction = .content
      attachment.segment = index
      prepared.append(try PreparedAttachment(attachment))
    }
    attachments = prepared
  }

  mutating func forEachIntake(_ body: (inout Intake) -> Void) { attachments.forEachIntake(body) }
}

extension Session {
  /// Records the large texts of a stored entry as attachments.
  func keep(_ texts: LargeTexts, at position: Int, row: inout SessionRow, in change: Change) throws
  {
    for text in texts.attachments {
      _ = try attach(text, position: position, row: &row, in: change)
    }
  }
}

extension Entry {
  /// Tells whether a text of the entry is too large for a row of the database.
  var hasLargeText: Bool {
    segments.contains { ($0.text?.utf8.count ?? 0) > LargeText.limit }
  }
}
