import Foundation
import Keepsake
import KeepsakeFiles
import Testing

extension HubConformance {
  /// A hub may have a store make its offers in the middle of some work. The work sees the answers that the store gets. A hub that runs no
  /// such work passes this check, too, and so does one that runs it only sometimes.
  static func exchange(_ place: Place) async throws {
    let hub = try await place.make()
    let session = UUID()
    /// Makes offers inside of work if the hub runs it, and otherwise as ever, and returns the answers of the hub.
    func commit(_ offers: [HubOffer]) async throws -> [HubAnswer] {
      let seen = Locked<(runs: Int, isSent: Bool, answers: [HubAnswer]?)>((0, false, nil))
      let answers = try await hub.exchange(bytes: offers.reduce(0) { $0 + $1.bytes.count }) {
        offer in
        let answers = offer(offers)
        let given = answers?(.seconds(60))
        // Whoever asks again is told the same.
        #expect(answers?(.zero)?.map(\.version) == given?.map(\.version))
        seen.withLock { $0 = ($0.runs + 1, answers != nil, given) }
      }
      let (runs, isSent, given) = seen.withLock { $0 }
      #expect(runs <= 1 && isSent == (answers != nil))
      guard let answers else { return try await hub.commit(offers) }
      if let given {
        #expect(given.map(\.version) == answers.map(\.version))
        #expect(given.map(\.standing) == answers.map(\.standing))
        #expect(given.map(\.lacking) == answers.map(\.lacking))
      }
      return answers
    }
    let offer = HubOffer(session, on: nil)
    #expect(try await commit([offer, HubOffer(UUID(), on: nil)]).map(\.version) == [1, 1])
    let refused = try await commit([
      HubOffer(session, on: UUID()), HubOffer(UUID(), on: nil, needs: [Artifact.ID(of: [9])]),
    ])
    #expect(refused[0].standing??.version == 1 && refused[1].lacking == [Artifact.ID(of: [9])])
    let late = try await commit([HubOffer(session, on: UUID()), HubOffer(UUID(), on: nil)])
    #expect(late.map(\.version) == [nil, 1] && late[0].standing??.version == 1)
    // Two offers of one session are answered one after the other.
    let next = HubOffer(session, on: offer.stamp)
    let last = HubOffer(session, on: next.stamp)
    #expect(try await commit([next, last]).map(\.version) == [2, 3])
    // An offer that was taken is known again.
    #expect(try await commit([last]).map(\.version) == [3])
    // Work may end without an offer.
    #expect(try await hub.exchange(bytes: 0) { _ in } == nil)
    #expect(try await commit([HubOffer(session, on: last.stamp)]).map(\.version) == [4])
    #expect(try await hub.soundLog(session).count == 4)
    await hub.close()
    await #expect(throws: KeepsakeError.self) { _ = try await commit([offer]) }
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
