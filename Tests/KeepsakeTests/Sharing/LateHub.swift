import Foundation
import KeepsakeHubConformance

@testable import Keepsake

/// A hub that gives a quarter of its answers late. By the time at which a late answer comes, the hub may have changed.
struct LateHub: ForwardingHub {
  let hub: any Hub

  /// The way to a hub, through hub objects of this kind.
  static func address(_ address: HubAddress) -> HubAddress {
    HubAddress(address.description) { LateHub(hub: try await address.open($0)) }
  }

  private func late<Result>(_ answer: Result) async throws -> Result {
    if Int.random(in: 0..<4) == 0 {
      try await Task.sleep(for: .milliseconds(Int.random(in: 1...40)))
    }
    return answer
  }

  func commit(_ offers: [HubOffer]) async throws -> [HubAnswer] {
    let answers = try await hub.commit(offers)
    // The hub has the commits, and says so whatever becomes of the task.
    return (try? await late(answers)) ?? answers
  }

  func exchange(bytes: Int, _ work: @escaping HubExchange) async throws -> [HubAnswer]? {
    try await hub.exchange(bytes: bytes, work)
  }

  func versions(of session: UUID, after version: Int64, bytes: Int) async throws -> HubVersions {
    try await late(hub.versions(of: session, after: version, bytes: bytes))
  }

  func changes(after mark: HubMark?) async throws -> HubChanges {
    try await late(hub.changes(after: mark))
  }

  func directory() async throws -> HubDirectory { try await late(hub.directory()) }

  func directory(of sessions: [UUID]) async throws -> HubDirectory {
    try await late(hub.directory(of: sessions))
  }
}
