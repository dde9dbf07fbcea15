import Foundation
import Keepsake
import KeepsakeFiles
import Testing

extension HubConformance {
  /// A hub may have a store work while the hub decides. The work sees the answers that the store gets. A hub that has no store work passes
  /// this check, too.
  static func meanwhile(_ place: Place) async throws {
    let hub = try await place.make()
    let session = UUID()
    let offer = HubOffer(session, on: nil)
    let seen = Locked<[[HubAnswer]?]>([])
    func commit(_ offers: [HubOffer]) async throws -> [HubAnswer] {
      seen.withLock { $0 = [] }
      return try await hub.commit(offers) { answers in
        let given = answers(.seconds(60))
        seen.withLock { $0.append(given) }
        // Whoever asks again is told the same.
        #expect(answers(.zero)?.map(\.version) == given?.map(\.version))
      }
    }
    func expectSame(_ answers: [HubAnswer]) {
      let seen = seen.withLock { $0 }
      #expect(seen.count <= 1)
      for case let given? in seen {
        #expect(given.map(\.version) == answers.map(\.version))
        #expect(given.map(\.standing) == answers.map(\.standing))
        #expect(given.map(\.lacking) == answers.map(\.lacking))
      }
    }
    let first = try await commit([offer, HubOffer(UUID(), on: nil)])
    #expect(first.map(\.version) == [1, 1])
    expectSame(first)
    let second = try await commit([
      HubOffer(session, on: UUID()), HubOffer(UUID(), on: nil, needs: [Artifact.ID(of: [9])]),
    ])
    #expect(second[0].standing??.version == 1 && second[1].lacking == [Artifact.ID(of: [9])])
    expectSame(second)
    // Two offers of one session are answered one after the other.
    let next = HubOffer(session, on: offer.stamp)
    let third = try await commit([next, HubOffer(session, on: next.stamp)])
    #expect(third.map(\.version) == [2, 3])
    expectSame(third)
    #expect(try await hub.soundLog(session).count == 3)
    await hub.close()
  }

  /// Commits are taken in the same order by a hub that holds sessions and by a hub that can't. So both pass this check.
  static func holding(_ place: Place) async throws {
    let hub = try await place.make()
    let other = try await place.open()
    let session = UUID()
    // A session that is not there yet can't be held.
    await hub.hold(session)
    #expect(try await other.push(session).version == 1)
    await hub.release(session)
    await hub.hold(session)
    await hub.hold(session)
    #expect(try await hub.push(session).version == 2)
    #expect(try await other.push(session).version == 3)
    // A hub that reads what is new once the session is held reads what it gives to anybody else.
    if let new = await hub.hold(session, readingAfter: 1, bytes: 1 << 20) {
      #expect(new.versions.map(\.version) == [2, 3])
      #expect(try await other.versions(of: session, after: 1, bytes: 1 << 20) == new)
    }
    await hub.release(session)
    await hub.release(session)
    #expect(try await other.push(session).version == 4)
    // While a session is held, other sessions are committed as ever, also in one call with the held session.
    await hub.hold(session)
    #expect(try await other.push(UUID()).version == 1)
    let base = try await hub.log(session).last?.stamp
    let answers = try await hub.commit([
      HubOffer(UUID(), on: nil), HubOffer(session, on: base), HubOffer(UUID(), on: nil),
    ])
    #expect(answers.map(\.version) == [1, 5, 1])
    // A commit that comes too late lets go of its session, too.
    await hub.hold(session)
    #expect(try await hub.commit(HubOffer(session, on: base)).standing??.version == 5)
    #expect(try await other.push(session).version == 6)
    // A held session that nobody commits is let go of after a while. The store that held the session then commits as other stores do.
    await hub.hold(session)
    #expect(try await other.push(session).version == 7)
    #expect(try await hub.push(session).version == 8)
    #expect(try await hub.soundLog(session).count == 8)
  }
}
