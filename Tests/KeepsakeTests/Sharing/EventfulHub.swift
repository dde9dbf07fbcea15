import Foundation
import KeepsakeFiles

@testable import Keepsake

/// A hub in the middle of whose calls something else happens, as a test has planned.
struct EventfulHub: ForwardingHub {
  let hub: any Hub
  let plan: Plan

  /// The places in a hub's calls at which something may happen.
  enum Place { case beforeCommit, afterCommit, beforePut, afterVersions }

  /// The next event at each place, which happens once.
  final class Plan: Sendable {
    typealias Event = @Sendable () async throws -> Void
    private let events = Locked<[Place: Event]>([:])

    /// Tells whether all that was planned has happened.
    var isDone: Bool { events.withLock { $0.isEmpty } }

    func next(_ place: Place, _ event: @escaping Event) { events.withLock { $0[place] = event } }

    fileprivate func run(_ place: Place) async throws {
      try await events.withLock { $0.removeValue(forKey: place) }?()
    }
  }

  func commit(_ offers: [HubOffer]) async throws -> [HubAnswer] {
    try await plan.run(.beforeCommit)
    let answers = try await hub.commit(offers)
    try await plan.run(.afterCommit)
    return answers
  }

  func put(
    _ artifact: Artifact.ID,
    _ hand: @escaping @Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void
  ) async throws {
    try await plan.run(.beforePut)
    try await hub.put(artifact, hand)
  }

  func versions(of session: UUID, after version: Int64, bytes: Int) async throws -> HubVersions {
    let versions = try await hub.versions(of: session, after: version, bytes: bytes)
    try await plan.run(.afterVersions)
    return versions
  }
}
