/// A stored entry with the facts that the comparison with a list needs.
struct StoredItem {
  let position: Int
  var item: SaveAlignment.Item
  /// Tells whether the entry or one of its attachments was erased.
  let hasErased: Bool
  /// The position after which the conversation goes on, for an event that goes back; nil for other entries.
  let continuesAfter: Int?
}

extension [StoredItem] {
  /// The items that were not taken back, from an index on.
  ///
  /// An app's list does not have what was taken back, and its new entries may say the same again.
  func live(from start: Int) -> [StoredItem] {
    let returns = compactMap { stored in stored.continuesAfter.map { (stored.position, $0) } }
    guard let last, !returns.isEmpty else { return self }
    let path = LivePath(start..<(last.position + 1), returns: returns)
    return filter { path.contains($0.position) }
  }
}
