package import Foundation
package import Keepsake
package import KeepsakeTestSupport

/// Writes to sessions of several stores at random.
package struct CrowdWriter {
  package var random: SeededGenerator
  package var deeds: [String] = []
  /// The texts of entries that were acknowledged.
  package var said: Set<String> = []
  /// All texts that some entry ever had.
  package private(set) var all: Set<String> = []
  /// The texts that this writer erased, whoever said them.
  package private(set) var taken: Set<String> = []
  /// The sessions that this writer deleted.
  package private(set) var deleted: Set<UUID> = []
  /// The session to which each text was appended.
  package private(set) var places: [String: UUID] = [:]
  /// Tells whether the writer also erases entries and deletes sessions.
  package var removes = false
  private let name: String
  private var given = 0

  /// Creates a writer.
  /// - Parameters:
  ///   - seed: Decides what the writer does, as long as nobody else writes.
  ///   - name: A name that no other writer has. Each text begins with it.
  package init(seed: UInt64, name: String = "text") {
    random = SeededGenerator(seed: seed)
    self.name = name
  }

  package mutating func step(on store: Store, _ index: Int) async throws {
    let ids = try await store.sessions(limit: 1000).sessions.map(\.id)
    guard ids.count > 1, Int.random(in: 0..<10, using: &random) > 0,
      let id = ids.randomElement(using: &random)
    else {
      let session = try await store.createSession(title: text())
      return try await say(in: session, index)
    }
    let session = try await store.session(id)
    let name = "store \(index), \(id.uuidString.prefix(4))"
    let count = try await session.count()
    switch Int.random(in: 0..<(removes ? 14 : 12), using: &random) {
    case 0...4: try await say(in: session, index)
    case 5:
      try await session.rename(text())
      deeds.append("\(name): rename")
    case 6:
      try await session.tag([text()])
      deeds.append("\(name): tag")
    case 7 where count > 0:
      let position = Int.random(in: 0..<count, using: &random)
      let text = text()
      try await session.attach(.init(.bytes(Array(text.utf8))), to: position)
      deeds.append("\(name): attach to \(position)")
    case 8 where count > 0 && ids.count < 12:
      let position = Int.random(in: 1...count, using: &random)
      let fork = try await session.fork(before: position)
      deeds.append("\(name): fork \(fork.id.uuidString.prefix(4)) before \(position)")
      try await say(in: fork, index)
    case 9 where count > 0:
      let turn = try await session.openTurn()
      try await session.close(turn, .answered)
      deeds.append("\(name): turn")
    case 10 where count > 0:
      let position = Int.random(in: 0..<count, using: &random)
      let old = try await session.entry(at: position)
      guard !old.text.isEmpty else { return }
      var new = old
      let text = "\(old.text), said \(text())"
      new.segments = [.text(text)]
      all.insert(text)
      do { try await session.revise(position, to: new) } catch let error as KeepsakeError
        where error.code == .conflict
      { return }
      deeds.append("\(name): revise \(position)")
    case 12 where count > 0:
      let position = Int.random(in: 0..<count, using: &random)
      try await taken.insert(session.entry(at: position).text)
      try await taken.formUnion(session.revisions(of: position).map(\.entry.text))
      try await session.erase(position)
      deeds.append("\(name): erase \(position)")
    case 13 where ids.count > 4:
      deleted.insert(id)
      try await store.deleteSession(id)
      deeds.append("\(name): delete")
    default: try await say(in: session, index)
    }
  }

  private mutating func say(in session: Session, _ index: Int) async throws {
    let text = text()
    all.insert(text)
    try await session.append(.prompt(text))
    said.insert(text)
    places[text] = session.id
    deeds.append("store \(index), \(session.id.uuidString.prefix(4)): say \(text)")
  }

  private mutating func text() -> String {
    given += 1
    return "\(name) \(given)"
  }
}
