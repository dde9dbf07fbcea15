import Keepsake

/// A page of a list, for people or programs, with the cursor for the next page.
struct ListPage<Element> {
  let elements: [Element]
  /// The cursor for the next page; nil at the end.
  let next: String?
  /// Writes an element as JSON.
  let write: (Element, inout JSONWriter) -> Void

  init(
    _ elements: [Element], next: (some CustomStringConvertible)?,
    _ write: @escaping (Element, inout JSONWriter) -> Void
  ) {
    self.elements = elements
    self.next = next?.description
    self.write = write
  }

  /// Prints the page as JSON or for people, as the arguments ask.
  ///
  /// - Parameters:
  ///   - arguments: The arguments for the options of the page.
  ///   - terminal: The output.
  ///   - nothing: The message for an empty page.
  ///   - people: Prints the elements for people; it is not called for an empty page.
  func print<Cursor>(
    _ arguments: Arguments<PageParameters<Cursor>>, _ terminal: Terminal, nothing: String,
    people: ([Element]) throws -> Void
  ) throws {
    if arguments.jsonl {
      for element in elements { try terminal.json { write(element, &$0) } }
      guard let next else { return }
      return try terminal.json { writer in
        writer.beginObject()
        writer.fixed("next", next)
        writer.endObject()
      }
    }
    if arguments.json {
      try terminal.json { $0.array(elements, write) }
    } else if elements.isEmpty {
      try terminal.note(nothing)
    } else {
      try people(elements)
    }
    if let next { try terminal.note("There is more: --after \(next)") }
  }

  /// Prints the page as JSON, or as a table with a row for each element.
  func print<Cursor>(
    _ arguments: Arguments<PageParameters<Cursor>>, _ terminal: Terminal, nothing: String,
    columns: [TextTable.Column],
    row: (Element) -> [String]
  ) throws {
    try print(arguments, terminal, nothing: nothing) { elements in
      var table = TextTable(columns)
      for element in elements { table.add(row(element)) }
      try table.print(terminal)
    }
  }
}
