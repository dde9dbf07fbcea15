/// A row of a store as it goes into a copy, with ids and digests in place of numbers that are valid in one store only.
///
/// A session is a list of records in the order of ``Kind``. ``CopyTable`` tells which columns each kind has, and which are
/// derived again when the copy is restored.
package struct CopyRecord: Sendable {
  /// The kinds of records, in the order in which they follow their session.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case session, turn, invocation, entry, attachment, revision
    /// An import into a session, with what is known of the foreign file.
    case source = "import"
    /// A piece of a foreign file.
    case piece
    /// Base64 that was cut out of a piece.
    case span
    /// A link of the chain that no row holds any more.
    case change
    /// The counters and other values of a session that its other rows tell as well. Only commits have it.
    case standing
    /// The digests by which an imported file is recognized once it has grown. Only commits have it.
    case recognition
    /// The list that a session saved last. Only commits have it.
    case saved
  }

  /// The value of a column, with ids and digests in place of numbers.
  package enum Value: Sendable, Hashable {
    case null
    case integer(Int64)
    /// Text in UTF-8.
    case text([UInt8])
    case blob([UInt8])
  }

  package let kind: Kind
  /// The values in the order of the kind's columns.
  package internal(set) var values: [Value]
  /// The attachments of an entry, or the spans of a piece.
  package internal(set) var children: [CopyRecord] = []
  /// The indexes of columns whose JSON has its exact spelling, even if the file's white space was changed.
  var verbatim: Set<Int> = []

  init(_ kind: Kind) {
    self.kind = kind
    values = Array(repeating: .null, count: kind.table.columns.count)
  }
}

extension CopyRecord.Value {
  var isNull: Bool { if case .null = self { true } else { false } }

  /// The bytes of a text or a blob; nil for any other value.
  var bytes: [UInt8]? {
    switch self {
    case .text(let bytes), .blob(let bytes): bytes
    case .null, .integer: nil
    }
  }
}

// MARK: - Values by name

extension CopyRecord {
  /// The value of a column by its name, which the kind must have.
  subscript(name: String) -> Value {
    get { values[kind.table.index(of: name)] }
    set { values[kind.table.index(of: name)] = newValue }
  }

  func integer(_ name: String) -> Int64? {
    if case .integer(let value) = self[name] { value } else { nil }
  }

  func int(_ name: String) -> Int? { integer(name).map { Int($0) } }

  /// Returns the number in the column at an index. To find a column by its index is faster than by its name.
  func int(at index: Int) -> Int? {
    if case .integer(let value) = values[index] { Int(value) } else { nil }
  }

  /// Returns the bytes in the column at an index.
  func bytes(at index: Int) -> [UInt8]? { values[index].bytes }

  func text(_ name: String) -> String? {
    if case .text(let bytes) = self[name] { String(decoding: bytes, as: UTF8.self) } else { nil }
  }

  func bytes(_ name: String) -> [UInt8]? { self[name].bytes }
}
