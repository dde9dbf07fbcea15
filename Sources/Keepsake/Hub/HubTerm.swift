import KeepsakeFiles

/// A fact by which sessions are found at a hub, such as a tag or an artifact, without its words: a hub keeps a hash of them.
package struct HubTerm: Sendable, Hashable {
  /// The kinds of facts. Their numbers are stored.
  package enum Kind: Int32, Sendable, Hashable, CaseIterable {
    /// A tag of the session itself. A fork does not get those of the session that it was forked from.
    case sessionTag = 0
    /// A tag of the session, or of one of its entries.
    case tag = 1
    /// A tool that the session calls, or a tool or step that made something in it.
    case tool = 2
    /// An artifact that the session has, or from which something in it was made.
    case artifact = 3
    /// A model that answered.
    case model = 4
    /// The program or format that the session came from.
    case origin = 5
    /// The fact that the session has an artifact.
    case attachment = 6
    /// The session that this one was forked from, or one before that.
    case fork = 7
  }

  /// The number of bytes that are kept of the hash. Two facts with the same hash would only find too much.
  private static let size = 16

  package let kind: Kind
  /// The beginning of the SHA-256 of the fact.
  package let hash: [UInt8]

  package init(_ kind: Kind, _ fact: [UInt8]) {
    self.kind = kind
    hash = Array(SHA256.digest(of: fact).bytes.prefix(Self.size))
  }

  /// Creates a term from a hash that a hub has kept.
  package init(_ kind: Kind, hash: [UInt8]) {
    self.kind = kind
    self.hash = hash
  }

  /// Reads a term that a hub has kept; nil for a kind that is not known here.
  package init?(kind: Int64, hash: [UInt8]) {
    guard let kind = Int32(exactly: kind).flatMap(Kind.init) else { return nil }
    self.init(kind, hash: hash)
  }

  package init(_ kind: Kind, _ fact: String) { self.init(kind, Array(fact.utf8)) }
}
