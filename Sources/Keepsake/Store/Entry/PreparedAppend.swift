/// An entry that is ready to be written, with its attachments.
struct PreparedAppend: Intaking {
  let entry: PreparedEntry
  private(set) var attachments: [PreparedAttachment]
  private(set) var texts: LargeTexts

  /// Checks and encodes an entry and its attachments; the bytes are still to be taken in.
  ///
  /// - Parameters:
  ///   - entry: The entry to append.
  ///   - attachments: The attachments of the entry.
  ///   - isForeign: Whether the entry comes from a foreign source, whose dangling references are kept as they are.
  init(
    _ entry: Entry, attaching attachments: [Entry.NewAttachment] = [], isForeign: Bool = false
  ) throws {
    if !isForeign { try entry.validate(attaching: attachments) }
    let (entry, places) = attachments.isEmpty ? (entry, []) : entry.showing(attachments.count)
    self.init(
      try PreparedEntry(entry),
      attachments: try zip(attachments, places).map { new, place in
        try PreparedAttachment(new, segment: place)
      }, texts: try LargeTexts(of: entry))
  }

  init(_ entry: PreparedEntry, attachments: [PreparedAttachment], texts: LargeTexts) {
    self.entry = entry
    self.attachments = attachments
    self.texts = texts
  }

  /// Returns a copy of the event that goes back to the given position, which is known only in the transaction.
  func continuing(after position: Int) throws -> PreparedAppend {
    var event = entry.entry
    event.continuesAfter = position
    return PreparedAppend(
      try PreparedEntry(event, salt: entry.salt), attachments: attachments, texts: texts)
  }

  mutating func forEachIntake(_ body: (inout Intake) -> Void) {
    attachments.forEachIntake(body)
    texts.forEachIntake(body)
  }

  /// About how many bytes this adds to a transaction.
  var size: Int {
    attachments.reduce(entry.body.count) { $0 + ($1.artifact?.inlineSize ?? 0) }
  }
}

extension Entry {
  func segment(ofAttachment index: Int) -> Int? {
    segments.firstIndex { $0.content == .attachment(index) }
  }

  /// Returns the entry with a segment for each attachment, appended where there is none, and the index of each segment.
  fileprivate func showing(_ attachments: Int) -> (entry: Entry, places: [Int]) {
    var places = [Int?](repeating: nil, count: attachments)
    for (place, segment) in segments.enumerated() {
      guard case .attachment(let index) = segment.content, places.indices.contains(index),
        places[index] == nil
      else { continue }
      places[index] = place
    }
    var entry = self
    let all = places.enumerated().map { index, place in
      if let place { return place }
      entry.segments.append(.attachment(index))
      return entry.segments.count - 1
    }
    return (entry, all)
  }
}
