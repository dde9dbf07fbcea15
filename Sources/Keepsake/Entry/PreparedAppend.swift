/// An entry with what is attached to it, ready to be written.
struct PreparedAppend: Intaking {
  let entry: PreparedEntry
  private(set) var attachments: [PreparedAttachment]
  private(set) var texts: LargeTexts

  /// Encodes the entry and what is to be said of its attachments; their bytes are still to be taken in.
  /// - Parameters:
  ///   - entry: What is to be appended.
  ///   - attachments: What is to hang on it.
  ///   - isForeign: Whether others wrote it, who may say what leads nowhere: it is kept as it is.
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

  /// The same event, which goes back to a position that is known only now.
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

  /// About how much it adds to a transaction.
  var size: Int {
    attachments.reduce(entry.body.count) { $0 + ($1.artifact?.inlineSize ?? 0) }
  }
}

extension Entry {
  func segment(ofAttachment index: Int) -> Int? {
    segments.firstIndex { $0.content == .attachment(index) }
  }

  /// The entry with a place for each of so many attachments, at the end for those that have none; and the segment of each.
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
