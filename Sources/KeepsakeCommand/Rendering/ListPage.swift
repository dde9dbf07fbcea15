import Keepsake

/// A page of a list, as a person or a program reads it, with where the next one begins.
struct ListPage<Element> {
  let elements: [Element]
  /// What to go on with; nil at the end.
  let next: String?
  /// What an element is in JSON.
  let write: (Element, inout JSONWriter) -> Void

  init(
    _ elements: [Element], next: (some CustomStringConvertible)?,
    _ write: @escaping (Element, inout JSONWriter) -> Void
  ) {
    self.elements = elements
    self.next = next?.description
    self.write = write
  }

  /// Prints it as the arguments ask for: as JSON, or as people read it.
  /// - Parameters:
  ///   - arguments: What was given for the options of the page.
  ///   - terminal: Where to.
  ///   - nothing: What is said of an empty page.
  ///   - people: Prints the elements for people; there are some.
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

  /// The same, with a row of a table for each element.
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
