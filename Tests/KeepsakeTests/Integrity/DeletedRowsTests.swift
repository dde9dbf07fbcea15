import Foundation
import Testing

@testable import Keepsake

/// A row of a deleted session that says what it said before a later change, as a store has it that got nothing but the link of the change.
@Suite struct `A row of a deleted session that is older than its chain` {
  enum Later: CaseIterable { case revise, erase }

  /// A fork shows an entry as it was when the fork was made. An erasure reaches each fork.
  @Test(arguments: Later.allCases, [false, true])
  func `is sound only if no fork shows the later change`(later: Later, isForkedAfter: Bool)
    async throws
  {
    let store = try await Store.temporary(options: .withoutIndexing)
    let session = try await store.createSession()
    for text in ["One.", "Two."] { try await session.append(.prompt(text)) }
    if !isForkedAfter { _ = try await session.fork(before: 2) }
    let entry = session.lineage.id(of: 1).rawValue
    try await store.handle.write { change in
      try change.db.execute("CREATE TEMP TABLE kept AS SELECT * FROM entry WHERE id = \(entry)")
    }
    switch later {
    case .revise: try await session.revise(1, to: .prompt("Two, revised."))
    case .erase: try await session.erase(1)
    }
    if isForkedAfter { _ = try await session.fork(before: 2) }
    try await store.deleteSession(session.id)
    try await store.requireSound()
    try await store.handle.write { change in
      try change.db.execute(
        """
        INSERT INTO change SELECT id >> 24, change, operation, id & 16777215, digest FROM entry WHERE id = \(entry);
        DELETE FROM change WHERE session = \(entry >> 24) AND number = (SELECT change FROM kept);
        DELETE FROM revision WHERE entry = \(entry);
        UPDATE entry SET (operation, change, salt, digest, body) = (SELECT operation, change, salt, digest, body FROM kept)
        WHERE id = \(entry);
        DROP TABLE kept
        """)
    }
    let isSound = later == .revise && !isForkedAfter
    let damages = try await store.verify().findings.filter { $0.severity == .damaged }
    #expect(damages.isEmpty == isSound)
    #expect(damages.allSatisfy { $0.description.contains("put back") })
    #expect(try OtherVerifier.statuses([store.url]) == [isSound ? 0 : 2])
    try await store.removeTemporary()
  }
}
