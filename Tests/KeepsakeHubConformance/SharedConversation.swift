import Foundation
package import Keepsake
import KeepsakeFiles
import Testing

/// A conversation of two stores that share the sessions of a hub, whatever the hub is made of.
package enum SharedConversation {
  package static func run(at address: HubAddress) async throws {
    try await HubStores.make(at: address, [.shared, .shared]) { try await talk($0[0], $0[1]) }
  }

  private static func talk(_ first: Store, _ second: Store) async throws {
    let session = try await first.createSession(title: "Fruit")
    try await session.append(
      .prompt("a banana?"), attaching: [.init(.data(Data(repeating: 7, count: 300_000)))])
    let other = try await second.session(session.id)
    try await other.append(.response("a green one"))
    try await session.refresh()
    #expect(try await session.entries.all().map(\.text) == ["a banana?", "a green one"])
    let image = try #require(try await other.entries.all()[0].attachments.first?.artifact)
    #expect(try await image.data() == Data(repeating: 7, count: 300_000))
    let fork = try await other.fork(before: 1)
    try await fork.append(.response("a yellow one"))
    let numbers = Array(0..<20)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for session in [session, other] {
        group.addTask {
          for number in numbers { try await session.append(.prompt("\(number)")) }
        }
      }
      try await group.waitForAll()
    }
    try await session.refresh()
    let said = try await session.entries.all().dropFirst(2).map(\.text)
    #expect(said.sorted() == (numbers + numbers).map { "\($0)" }.sorted())
    try await other.erase(0)
    try await session.refresh()
    #expect(try await session.entries.all()[0].isErased)
    let seen = try await first.session(fork.id).entries.all()
    #expect(seen[0].isErased && seen[1].text == "a yellow one")
    #expect(Set(try await first.sessions().sessions.map(\.id)) == [session.id, fork.id])
    try await first.deleteSession(session.id)
    await #expect(throws: KeepsakeError.self) { try await second.session(session.id) }
    #expect(try await second.session(fork.id).count() == 2)
    #expect(try await second.sessions().sessions.map(\.id) == [fork.id])
    for store in [first, second] {
      #expect(try await store.verify(.init(readData: true)).isSound)
    }
  }
}
