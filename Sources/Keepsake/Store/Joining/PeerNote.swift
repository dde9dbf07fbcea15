#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// The note by which a store says at a hub that it uses the hub.
struct PeerNote: Sendable, Hashable {
  /// The store's name, for people.
  var name: String
  /// Tells whether the store shares the hub's sessions, and does not mirror them.
  var isShared: Bool
  /// The ids of the erasing notes that the hub had when the store began its last complete sync.
  var erasings: Set<UUID>

  /// The default name of a store, which is the name of its machine.
  static var machine: String { HostName.short ?? "a machine without a name" }
}

extension PeerNote {
  /// The text of the note as a hub keeps it.
  var text: String {
    JSON.object([
      ("name", .string(name)), ("shared", .bool(isShared)),
      ("erasings", .array(erasings.map { "\($0)" }.sorted().map(JSON.string))),
    ]).text
  }

  /// Reads a store's note from its text; nil if the text is no such note.
  init?(text: String) {
    guard let json = try? JSON(validating: text), let name = json["name"]?.stringValue,
      let isShared = json["shared"]?.boolValue, let ids = json["erasings"]?.arrayValue
    else { return nil }
    self.name = name
    self.isShared = isShared
    erasings = Set(ids.compactMap { $0.stringValue.flatMap(UUID.init(text:)) })
  }
}
