import Foundation
import Keepsake
import Testing

extension HubConformance {
  /// A hub tells notes apart by their kind and id, and keeps the last note of each.
  static func notes(_ place: Place) async throws {
    let hub = try await place.make()
    let other = try await place.open()
    for kind in HubNote.Kind.allCases { #expect(try await hub.notes(kind) == []) }
    let (first, second) = (UUID(), UUID())
    try await hub.removeNotes(.peer, [first])
    try await hub.leave("a laptop", as: .peer, first)
    try await hub.leave("an erasing", as: .erasing, first)
    try await other.leave("{\"name\":\"an\u{0} Ärger\\n\"}\n", as: .peer, second)
    try await other.leave("another laptop", as: .peer, first)
    for reader in [hub, other] {
      let peers = try await reader.notes(.peer)
      #expect(Set(peers.map(\.id)) == [first, second])
      #expect(peers.first { $0.id == first }?.text == "another laptop")
      #expect(peers.first { $0.id == second }?.text == "{\"name\":\"an\u{0} Ärger\\n\"}\n")
      #expect(peers.allSatisfy { $0.kind == .peer && $0.age >= .zero && $0.age < .seconds(600) })
      #expect(try await reader.notes(.erasing).map(\.text) == ["an erasing"])
    }
    try await other.removeNotes(.peer, [UUID(), first])
    #expect(try await hub.notes(.peer).map(\.id) == [second])
    #expect(try await hub.notes(.erasing).map(\.id) == [first])
    let longest = String(repeating: "a", count: HubNote.largestText)
    try await hub.leave(longest, as: .peer, first)
    #expect(try await other.notes(.peer).first { $0.id == first }?.text == longest)
    let error = await #expect(throws: KeepsakeError.self) {
      try await hub.leave(longest + "a", as: .peer, first)
    }
    #expect(error?.code == .tooLarge)
    // The hub's directory lists sessions, and no notes.
    #expect(try await hub.directory().heads == [])
  }
}
