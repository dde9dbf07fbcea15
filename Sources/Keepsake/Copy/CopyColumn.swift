/// A column of a copy: its name there, and what it is in the store.
package struct CopyColumn: Sendable {
  /// What a value means, and so how it is written, and what is accepted.
  package enum Meaning: Sendable {
    case integer(ClosedRange<Int64>)
    /// Microseconds since 1970.
    case time
    /// The same, or null where nobody said it.
    case timeIfKnown
    /// An enumeration: its place in the list.
    case name([String])
    case text
    /// A text that is JSON, to the byte.
    case json
    case id, digest, salt
    /// Where an entry stands; in the store its number.
    case position
    /// An artifact's digest, an invocation's id, a session's id; in the store their numbers.
    case artifact, invocation, session
    /// An attachment's place in the order of recording; in the store its number.
    case recording
    /// Bytes of any kind, or none.
    case content
  }

  package let name: String
  package let meaning: Meaning
  package let isRequired: Bool
  /// The object that it stands in, with others of its kind; nil for the record itself.
  package let group: String?
  /// The column of the kind's own table that holds it; nil for what is read from elsewhere, and not written with the row.
  let column: String?
  /// What is read, over `x`.
  let expression: String

  init(
    _ name: String, _ meaning: Meaning, required isRequired: Bool = false, in group: String? = nil,
    column: String? = nil, reading expression: String? = nil
  ) {
    self.name = group.map { "\($0).\(name)" } ?? name
    self.meaning = meaning
    self.isRequired = isRequired
    self.group = group
    self.column = expression == nil ? column ?? name : nil
    self.expression = expression ?? meaning.expression(column ?? name)
  }

  /// Its name inside of its group.
  package var lastName: String {
    group.map { String(name.dropFirst($0.count + 1)) } ?? name
  }
}

extension CopyColumn.Meaning {
  /// Positions and changes, and all else that is counted, stay far below this.
  static let count: CopyColumn.Meaning = .integer(.count)
  static let index: CopyColumn.Meaning = .integer(.index)
  static let offset: CopyColumn.Meaning = .integer(.size)

  fileprivate func expression(_ column: String) -> String {
    switch self {
    case .position: "x.\(column) & \(EntryID.maximumPosition)"
    case .artifact: "(SELECT digest FROM artifact WHERE number = x.\(column))"
    case .invocation: "(SELECT id FROM invocation WHERE number = x.\(column))"
    case .session: "(SELECT id FROM session WHERE number = x.\(column))"
    default: "x.\(column)"
    }
  }
}
