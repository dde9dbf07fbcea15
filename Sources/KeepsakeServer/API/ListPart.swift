/// A part of a list that is read as a whole and only grows at its end, such as the runs of a session.
struct ListPart<Element> {
  /// The number of elements that earlier pages had.
  struct Cursor: LosslessStringConvertible {
    let count: Int

    init(count: Int) { self.count = count }

    init?(_ text: String) {
      guard text.hasPrefix("n"), (2...10).contains(text.utf8.count),
        text.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let count = Int(text.dropFirst())
      else { return nil }
      self.count = count
    }

    var description: String { "n\(count)" }
  }

  let elements: [Element]
  /// The cursor of the next part; nil at the end.
  let next: Cursor?

  init(_ all: [Element], after cursor: Cursor?, limit: Int) {
    let start = min(cursor?.count ?? 0, all.count)
    elements = Array(all[start...].prefix(limit))
    let end = start + elements.count
    next = end < all.count ? Cursor(count: end) : nil
  }
}
