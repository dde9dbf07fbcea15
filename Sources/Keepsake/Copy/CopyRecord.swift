/// A row of a store, as it goes into a copy: by what it means, without the numbers that mean something in one store only.
///
/// A session is a list of records in the order of ``Kind``. Which columns each kind has, and what is derived again instead
/// of being carried, says ``CopyTable``.
package struct CopyRecord: Sendable {
  /// What a record is of; a session comes first, and then what belongs to it in this order.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case session, turn, invocation, entry, attachment, revision
    /// What a session took over from a foreign file, with what is known of the file.
    case source = "import"
    /// A piece of that file.
    case piece
    /// Base64 that was cut out of a piece.
    case span
    /// A link that no row holds any more.
    case change
  }

  /// A column's value, with what stands behind a number of the store in its place.
  package enum Value: Sendable, Hashable {
    case null
    case integer(Int64)
    /// UTF-8.
    case text([UInt8])
    case blob([UInt8])
  }

  package let kind: Kind
  /// In the order of the kind's columns.
  package internal(set) var values: [Value]
  /// An entry's attachments, and a piece's spans.
  package internal(set) var children: [CopyRecord] = []
  /// The columns whose JSON is known to the byte, whatever was done to the white space of the file that says so.
  var verbatim: Set<Int> = []

  init(_ kind: Kind) {
    self.kind = kind
    values = Array(repeating: .null, count: kind.table.columns.count)
  }
}

// MARK: - Values by name

extension CopyRecord {
  /// A value by its name, which the kind has.
  subscript(name: String) -> Value {
    get { values[index(name)] }
    set { values[index(name)] = newValue }
  }

  private func index(_ name: String) -> Int {
    guard let index = kind.table.index(name) else {
      preconditionFailure("A record of a \(kind.rawValue) has no '\(name)'.")
    }
    return index
  }

  func integer(_ name: String) -> Int64? {
    if case .integer(let value) = self[name] { value } else { nil }
  }

  func int(_ name: String) -> Int? { integer(name).map { Int($0) } }

  func text(_ name: String) -> String? {
    if case .text(let bytes) = self[name] { String(decoding: bytes, as: UTF8.self) } else { nil }
  }

  func bytes(_ name: String) -> [UInt8]? {
    switch self[name] {
    case .text(let bytes), .blob(let bytes): bytes
    case .null, .integer: nil
    }
  }
}
