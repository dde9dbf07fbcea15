extension Entry {
  /// Whether two entries say the same: content alone, not times, usage, status, identifiers or what the store assigns.
  public func hasSameContent(as other: Entry) -> Bool {
    kind == other.kind && tool == other.tool && segments.count == other.segments.count
      && zip(segments, other.segments).allSatisfy { $0.content.isSame(as: $1.content) }
      && toolCalls.count == other.toolCalls.count
      && zip(toolCalls, other.toolCalls).allSatisfy {
        $0.tool.isSameText(as: $1.tool) && $0.arguments.isSameText(as: $1.arguments)
          && $0.id.isSameText(as: $1.id)
      }
      && lane == other.lane && author == other.author
  }
}

extension Entry.Segment.Content {
  fileprivate func isSame(as other: Self) -> Bool {
    switch (self, other) {
    case (.text(let a), .text(let b)): a.isSameText(as: b)
    case (.structure(let a, let schema), .structure(let b, let other)):
      schema == other && (a == b || a.isEquivalent(to: b))
    case (.attachment(let a), .attachment(let b)): a == b
    case (.opaque(let a, let type), .opaque(let b, let other)): type == other && a == b
    default: false
    }
  }
}

extension String {
  /// Equal bytes: `==` holds text that is composed differently for the same.
  func isSameText(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
