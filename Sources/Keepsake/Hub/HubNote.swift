#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A note is a short text that a store leaves at a hub, and that tells people which stores use the hub. No session depends on a note.
package struct HubNote: Sendable, Hashable {
  /// The kinds of notes. Their names are stored.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The note says that a store was at the hub. The note's id is the store's.
    case peer
    /// The note says that something was erased or deleted. The note's id is random.
    case erasing
  }

  /// The most bytes that a note's text may have.
  package static let largestText = 16 << 10

  package let kind: Kind
  package let id: UUID
  /// The text of the note, which the hub does not read.
  package let text: String
  /// The time since the note was left, by the hub's clock where it has one.
  package let age: Duration

  /// Throws an error where a text is too long for a note.
  package static func check(_ text: String) throws {
    guard text.utf8.count > largestText else { return }
    throw KeepsakeError(
      .tooLarge,
      "Can't leave a note of \(text.utf8.count) bytes at a hub: \(largestText) are the most.")
  }

  package init(kind: Kind, id: UUID, text: String, age: Duration) {
    self.kind = kind
    self.id = id
    self.text = text
    self.age = age
  }
}
