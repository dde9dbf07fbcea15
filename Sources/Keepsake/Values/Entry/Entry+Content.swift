extension Entry {
  /// Returns whether two entries have equal content, regardless of times, usage, status, ids and what the store assigns.
  public func hasSameContent(as other: Entry) -> Bool {
    kind == other.kind && tool.isSameText(as: other.tool) && segments.count == other.segments.count
      && zip(segments, other.segments).allSatisfy { $0.content.isSame(as: $1.content) }
      && toolCalls.count == other.toolCalls.count
      && zip(toolCalls, other.toolCalls).allSatisfy {
        $0.tool.isSameText(as: $1.tool) && $0.arguments.isSameText(as: $1.arguments)
          && $0.id.isSameText(as: $1.id)
      }
      && lane.isSameText(as: other.lane) && author.isSameText(as: other.author)
      && continuesAfter == other.continuesAfter
  }
}

extension Entry.Segment.Content {
  fileprivate func isSame(as other: Self) -> Bool {
    switch (self, other) {
    case (.text(let a), .text(let b)): a.isSameText(as: b)
    case (.structure(let a, let schema), .structure(let b, let other)):
      schema.isSameText(as: other) && (a == b || a.isEquivalent(to: b))
    case (.attachment(let a), .attachment(let b)): a == b
    case (.opaque(let a, let type), .opaque(let b, let other)): type.isSameText(as: other) && a == b
    default: false
    }
  }
}

extension String {
  /// Returns whether two texts have equal bytes; `==` also accepts characters that are composed differently.
  func isSameText(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension String? {
  /// Returns whether both texts are nil, or have equal bytes.
  func isSameText(as other: String?) -> Bool {
    switch (self, other) {
    case (let text?, let other?): text.isSameText(as: other)
    case (nil, nil): true
    default: false
    }
  }
}
