/// A column of a copy, with its name in the copy and its source in the store.
///
/// It is an object, so that passing it on copies no texts.
package final class CopyColumn: Sendable {
  /// The meaning of a value, which decides how it is written and what is accepted.
  package enum Meaning: Sendable {
    case integer(ClosedRange<Int64>)
    /// A time in microseconds since 1970.
    case time
    /// A time in microseconds since 1970, or null if it is unknown.
    case timeIfKnown
    /// A case of an enumeration, by its place in the list of names.
    case name([String])
    case text
    /// A text that is JSON, exact to the byte.
    case json
    case id, digest, salt
    /// The position of an entry; in the store the entry's number.
    case position
    /// The digest of an artifact, the id of an invocation or the id of a session; in the store a number.
    case artifact, invocation, session
    /// An attachment's place in the order of recording; in the store the attachment's number.
    case recording
    /// Any bytes, or null.
    case content
  }

  package let name: String
  package let meaning: Meaning
  package let isRequired: Bool
  /// The name of the JSON object that contains the column with related ones; nil for the record itself.
  package let group: String?
  /// The name of the column inside of its group.
  package let lastName: String
  /// The JSON of the column's key in a record: the last name, with its quotes, its escapes and its colon.
  let key: [UInt8]
  /// The table's own column; nil for a value that is read from elsewhere, and not written with the row.
  let column: String?
  /// The SQL expression that reads the value, with the table as `x`.
  let expression: String

  init(
    _ name: String, _ meaning: Meaning, required isRequired: Bool = false, in group: String? = nil,
    column: String? = nil, reading expression: String? = nil
  ) {
    lastName = name
    key = JSONWriter.spelled(key: name)
    self.name = group.map { "\($0).\(name)" } ?? name
    self.meaning = meaning
    self.isRequired = isRequired
    self.group = group
    self.column = expression == nil ? column ?? name : nil
    self.expression = expression ?? meaning.expression(column ?? name)
  }
}

extension CopyColumn.Meaning {
  /// Tells whether the column's values in a store are numbers that no other store knows.
  var isTranslated: Bool {
    switch self {
    case .position, .recording, .artifact, .invocation: true
    case .integer, .time, .timeIfKnown, .name, .text, .json, .id, .digest, .salt, .session,
      .content:
      false
    }
  }

  /// A number of positions, changes or other counted things.
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
