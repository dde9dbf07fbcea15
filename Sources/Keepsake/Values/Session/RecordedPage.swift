/// A page of what a session recorded, such as its runs, in the order of recording.
package struct RecordedPage<Element: Sendable>: Sendable {
  /// The place at which a page ended. It means something in the list of the same session alone.
  package struct Cursor: Sendable, Hashable, LosslessStringConvertible {
    /// The number of the session that recorded the last element: of a fork, perhaps one whose entries it shares.
    let session: Int64
    /// The number of the last element.
    let number: Int64

    init(session: Int64, number: Int64) {
      self.session = session
      self.number = number
    }

    /// Reads a cursor from the text that ``description`` gives; nil for any other text.
    package init?(_ description: String) {
      let parts = description.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2, let session = Int64(parts[0], radix: 36),
        let number = Int64(parts[1], radix: 36)
      else { return nil }
      self.init(session: session, number: number)
      guard self.description == description else { return nil }
    }

    /// The cursor as text, to be stored or sent.
    package var description: String {
      "n" + String(session, radix: 36) + "." + String(number, radix: 36)
    }
  }

  /// The elements of the page.
  package let elements: [Element]
  /// The cursor with which to ask for the next page; nil at the end.
  package let next: Cursor?

  /// Makes a page of at most so many elements; one more was looked for, and shows that there is a next page.
  init(_ found: [(place: Cursor, element: Element)], limit: Int) {
    elements = found.prefix(limit).map(\.element)
    next = found.count > limit ? found[limit - 1].place : nil
  }
}
