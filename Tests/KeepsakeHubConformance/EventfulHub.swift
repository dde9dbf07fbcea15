package import Foundation
package import Keepsake
import KeepsakeFiles

/// A hub in the middle of whose calls something else happens, as a test has planned.
package struct EventfulHub: ForwardingHub {
  package let hub: any Hub
  package let plan: Plan

  package init(hub: any Hub, plan: Plan) {
    self.hub = hub
    self.plan = plan
  }

  /// The places in a hub's calls at which something may happen.
  package enum Place { case beforeCommit, afterCommit, beforePut, afterVersions }

  /// The next event at each place, which happens once.
  package final class Plan: Sendable {
    package typealias Event = @Sendable () async throws -> Void
    private let events = Locked<[Place: Event]>([:])

    package init() {}

    /// Tells whether all that was planned has happened.
    package var isDone: Bool { events.withLock { $0.isEmpty } }

    package func next(_ place: Place, _ event: @escaping Event) {
      events.withLock { $0[place] = event }
    }

    fileprivate func run(_ place: Place) async throws {
      try await events.withLock { $0.removeValue(forKey: place) }?()
    }
  }

  package func commit(_ offers: [HubOffer]) async throws -> [HubAnswer] {
    try await plan.run(.beforeCommit)
    let answers = try await hub.commit(offers)
    try await plan.run(.afterCommit)
    return answers
  }

  package func put(
    _ artifact: Artifact.ID,
    _ hand: @escaping @Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void
  ) async throws {
    try await plan.run(.beforePut)
    try await hub.put(artifact, hand)
  }

  package func versions(of session: UUID, after version: Int64, bytes: Int) async throws
    -> HubVersions
  {
    let versions = try await hub.versions(of: session, after: version, bytes: bytes)
    try await plan.run(.afterVersions)
    return versions
  }
}
