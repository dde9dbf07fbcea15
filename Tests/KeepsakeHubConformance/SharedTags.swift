import Foundation
package import Keepsake
import Testing

/// The list of all tags in stores that share the sessions of a hub, whatever the hub is made of.
package enum SharedTags {
  /// Writes sessions with tags through one store, and lists the tags in another one.
  ///
  /// - Parameters:
  ///   - address: The address of a new hub.
  ///   - look: Looks at the folder of the store that lists, after each list. It gets the most sessions that the store has to have taken
  ///     over by then, if the hub keeps lists.
  package static func run(
    at address: HubAddress, _ look: (_ store: Store, _ most: Int) throws -> Void = { _, _ in }
  ) async throws {
    try await HubStores.make(at: address, [.shared, .shared, .mirror]) { stores in
      let (reader, mirror) = (stores[1], stores[2])
      try await write(through: stores[0]) { expected, most in
        expect(try await reader.sessionTags(), expected)
        try look(reader, most)
        try await mirror.sync(with: address)
        expect(try await mirror.sessionTags(), expected)
      }
    }
  }

  private static func expect(
    _ tags: [(tag: String, sessions: Int)], _ expected: KeyValuePairs<String, Int>
  ) {
    // Strings that Swift holds for equal, because they only differ in how an accent is written, are two tags.
    #expect(tags.map { Array($0.tag.utf8) } == expected.map { Array($0.key.utf8) })
    #expect(tags.map(\.sessions) == expected.map(\.value))
  }

  private static func write(
    through store: Store,
    _ list: (_ tags: KeyValuePairs<String, Int>, _ most: Int) async throws -> Void
  ) async throws {
    try await list([:], 0)
    var sessions: [Session] = []
    for number in 0..<30 {
      var tags = ["fruit"]
      if number % 3 == 0 { tags.append("due") }
      if number < 5 { tags.append("ship") }
      // The ids are in the order of the sessions, so the first session, which has all three tags, is the first that a hub finds.
      let id = UUID(uuidString: "00000000-0000-4000-8000-0000000000\(10 + number)") ?? UUID()
      sessions.append(try await store.createSession(id: id, tags: tags))
    }
    // The tag of an entry is no tag of its session.
    var entry = Entry.prompt("a ship")
    entry.tags = ["red", "due"]
    try await sessions[7].append(entry)
    try await list(["due": 10, "fruit": 30, "ship": 5], 1)
    try await sessions[7].tag(["ship"])
    try await list(["due": 10, "fruit": 30, "ship": 6], 1)
    try await sessions[0].tag([], removing: ["due"])
    try await list(["due": 9, "fruit": 30, "ship": 6], 1)
    // A fork begins with the tags of its origin, and keeps them when the origin is deleted.
    let fork = try await sessions[7].fork(before: 1)
    try await store.deleteSession(sessions[7].id)
    try await store.deleteSession(sessions[3].id)
    try await list(["due": 8, "fruit": 29, "ship": 5], 1)
    try await fork.tag(["e\u{301}t\u{e9}"], removing: ["ship"])
    // A store that takes over the fork takes over its origin, too.
    try await sessions[9].tag(["\u{e9}t\u{e9}", "Zebra"])
    try await list(
      ["Zebra": 1, "due": 8, "e\u{301}t\u{e9}": 1, "fruit": 29, "ship": 4, "\u{e9}t\u{e9}": 1], 4)
    // A tag leaves one session and comes to another one.
    try await sessions[9].tag([], removing: ["Zebra", "\u{e9}t\u{e9}"])
    try await sessions[20].tag(["Zebra"])
    try await list(["Zebra": 1, "due": 8, "e\u{301}t\u{e9}": 1, "fruit": 29, "ship": 4], 4)
    // A tag goes with the last session that has it.
    try await sessions[20].tag([], removing: ["Zebra"])
    for number in [0, 1, 2, 4] { try await store.deleteSession(sessions[number].id) }
    try await list(["due": 8, "e\u{301}t\u{e9}": 1, "fruit": 25], 4)
  }
}
