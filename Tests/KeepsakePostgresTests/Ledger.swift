import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHubConformance
import Testing

@testable import KeepsakePostgres

/// What writers were told of the commits that they offered, to be held against what is in the hub.
final class Ledger: Sendable {
  private struct State {
    var taken: [UUID: (session: UUID, version: Int64)] = [:]
    var refused: Set<UUID> = []
    var unknown: Set<UUID> = []
  }

  private let state = Locked(State())

  var taken: Int { state.withLock { $0.taken.count } }
  var unknown: Int { state.withLock { $0.unknown.count } }

  func note(_ offer: HubOffer, _ answer: HubAnswer) {
    state.withLock { state in
      switch answer {
      case .yes(let version):
        #expect(state.taken[offer.stamp].map { $0.version == version } ?? true)
        state.taken[offer.stamp] = (offer.session, version)
      case .no, .lacks: state.refused.insert(offer.stamp)
      case .failed: state.unknown.insert(offer.stamp)
      }
    }
  }

  /// Writes to sessions in turn, each time on what stands there, until it is told to stop.
  func write(
    _ hub: any Hub, _ sessions: [UUID], seed: UInt64, while goes: @Sendable () -> Bool
  ) async throws {
    var bases: [UUID: UUID] = [:]
    var turn = Int(seed)
    while goes() {
      let session = sessions[turn % sessions.count]
      turn += 1
      // Before some calls the writer holds the session, and before some of these calls it lets go of the session again.
      if turn % 4 == 0 { await hub.hold(session) }
      if turn % 8 == 0 { await hub.release(session) }
      // Some calls offer to two sessions, and some to one twice.
      let first = HubOffer(session, on: bases[session])
      var offers = [first]
      let other = sessions[turn % sessions.count]
      if turn % 3 == 0 {
        offers.append(HubOffer(other, on: other == session ? first.stamp : bases[other]))
      }
      for (offer, answer) in zip(offers, try await hub.commit(offers)) {
        note(offer, answer)
        switch answer {
        case .yes: bases[offer.session] = offer.stamp
        case .no(let head): bases[offer.session] = head?.stamp
        case .lacks: Issue.record("\(answer)")
        case .failed(let error):
          // A commit whose answer was lost may be in the log or not. `check` accepts both.
          #expect(error.cause as? HubFault == .unreachable, "\(error)")
        }
      }
    }
  }

  /// Holds the hub against what was told: what was taken is there once, at its number, and nothing is there that was refused.
  func check(_ hub: any Hub, _ sessions: [UUID], _ comment: Comment) async throws {
    var found: [UUID: (session: UUID, version: Int64)] = [:]
    for session in sessions {
      for version in try await hub.soundLog(session) {
        #expect(
          found.updateValue((session, version.version), forKey: version.stamp) == nil, comment)
      }
    }
    let told = state.withLock { $0 }
    for (stamp, place) in told.taken {
      let there = found[stamp]
      #expect(there?.version == place.version && there?.session == place.session, comment)
    }
    #expect(told.refused.isDisjoint(with: found.keys), comment)
    let all = Set(told.taken.keys).union(told.unknown)
    #expect(Set(found.keys).subtracting(all).isEmpty, comment)
  }
}
