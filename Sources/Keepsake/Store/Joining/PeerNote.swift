#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// The note that a store leaves at its hub, which says that the store was there.
struct PeerNote: Sendable, Hashable {
  /// The store's name, for people.
  var name: String
  /// Tells whether the store shares the hub's sessions, and does not mirror them.
  var isShared: Bool
  /// The notes of erasings that the hub had when the store last began to take over everything.
  var erasings: Set<UUID>

  /// The name of a store that was given none.
  static var machine: String { HostName.short ?? "a machine without a name" }
}

extension PeerNote {
  /// The note as the text that a hub keeps.
  var text: String {
    JSON.object([
      ("name", .string(name)), ("shared", .bool(isShared)),
      ("erasings", .array(erasings.map { "\($0)" }.sorted().map(JSON.string))),
    ]).text
  }

  /// Reads a note that a store has left; nil for a text that is none.
  init?(text: String) {
    guard let json = try? JSON(validating: text), let name = json["name"]?.stringValue,
      let isShared = json["shared"]?.boolValue, let ids = json["erasings"]?.arrayValue
    else { return nil }
    self.name = name
    self.isShared = isShared
    erasings = Set(ids.compactMap { $0.stringValue.flatMap(UUID.init(text:)) })
  }
}
