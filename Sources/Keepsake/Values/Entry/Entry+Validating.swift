extension Entry {
  /// Throws if a segment or a place refers to something that the entry or its attachments don't have.
  ///
  /// For an entry without attachment segments and rare values, the cost is negligible.
  func validate(attaching attachments: [NewAttachment]) throws {
    try validate()
    // An entry that was read from a store has its attachments itself.
    let count = max(attachments.count, self.attachments.count)
    for case .attachment(let index) in segments.lazy.map(\.content)
    where !(0..<count).contains(index) {
      throw KeepsakeError(
        .invalid,
        """
        A segment of the entry is '.attachment(\(index))', and \(count == 0 ? "nothing is" : "\(count) are") \
        attached to it. They are counted from 0.
        """)
    }
    for attachment in attachments {
      if let place = attachment.place { try validate(place, segment: attachment.segment) }
    }
  }

  /// Throws if the entry's metadata, tags, or position to go back to are invalid.
  func validate() throws {
    guard let rare = rare?.value else { return }
    if let position = rare.continuesAfter { try validate(continuingAfter: position) }
    try rare.metadata?.validateAsMetadata()
    for tag in rare.tags { try tag.validateAsTag() }
  }

  private func validate(continuingAfter position: Int) throws {
    guard kind == .event else {
      throw KeepsakeError(
        .invalid,
        "Only an event can go back in the conversation, and this is of the kind '\(kind.name)'.")
    }
    guard position >= LivePath.beginning else {
      throw KeepsakeError(
        .invalid,
        "Can't go back to position \(position): positions are counted from 0, and \(LivePath.beginning) is the beginning."
      )
    }
  }

  /// Throws if the entry has no such place in the given segment.
  ///
  /// Without a segment, and for a segment that only shows the attachment, the place may be in any segment.
  func validate(_ place: Attachment.Place, segment: Int?) throws {
    var content = segments[...]
    if let segment {
      content = segments.indices.contains(segment) ? segments[segment...segment] : []
      if case .attachment? = content.first?.content { content = segments[...] }
    }
    guard !content.contains(where: { $0.has(place) }) else { return }
    let name = segment.map { "segment \($0)" } ?? "no segment"
    let verb = segment == nil ? "has" : "does not have"
    switch place {
    case .pointer(let pointer):
      throw KeepsakeError(
        .invalid,
        "Can't attach at '\(pointer)': \(name) of the entry \(verb) a value there, or an object that could have one.",
        object: pointer)
    case .range(let range):
      throw KeepsakeError(
        .outOfRange,
        "Can't attach at the bytes \(range.lowerBound) to \(range.upperBound): \(name) of the entry \(verb) so many."
      )
    }
  }
}

extension Entry.Segment {
  /// Returns whether the segment has a place; a text may be JSON, as tool outputs are, and an object may lack the last member.
  fileprivate func has(_ place: Entry.Attachment.Place) -> Bool {
    switch (place, content) {
    case (.pointer(let text), .structure(let json, _)), (.pointer(let text), .opaque(let json, _)):
      (try? JSONPointer(text)).map(json.hasPlace) ?? false
    case (.pointer(let pointer), .text(let text)):
      (try? JSONPointer(pointer)).map { (try? JSON(validating: text))?.hasPlace($0) ?? false }
        ?? false
    case (.range(let range), .text(let text)): range.upperBound <= text.utf8.count
    case (_, .attachment), (.range, _): false
    }
  }
}

extension JSON {
  /// Returns whether there is a value at a pointer, or an object that could have it as a member.
  fileprivate func hasPlace(_ pointer: JSONPointer) -> Bool {
    if value(at: pointer) != nil { return true }
    return value(at: JSONPointer(tokens: Array(pointer.tokens.dropLast())))?.kind == .object
  }

  /// Throws unless the value is an object, so that several parts of an app can each keep a member.
  func validateAsMetadata() throws {
    guard kind == .object else {
      throw KeepsakeError(
        .invalid, "Metadata is a JSON object, and this is \(kind). Put it under a key.")
    }
  }
}

extension String {
  func validateAsTag() throws {
    guard !isEmpty else { throw KeepsakeError(.invalid, "A tag is a word, and this one is empty.") }
  }
}
