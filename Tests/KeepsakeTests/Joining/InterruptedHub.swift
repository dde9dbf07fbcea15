import Foundation
import KeepsakeFiles
import KeepsakeTestSupport

@testable import Keepsake

/// A hub, and something that happens before and after each call of it: the connection is cut, or a program writes.
struct InterruptedHub: Hub {
  let hub: any Hub
  private let interrupt: @Sendable (Moment) async throws -> Void

  enum Moment { case before, after }

  /// The way to a hub whose calls fail at random, before or after it did what it was asked for.
  static func address(_ address: HubAddress, seed: UInt64, percent: Int) -> HubAddress {
    let random = Locked(SeededGenerator(seed: seed))
    return Self.address(address) { moment in
      // Each call has two chances to fail, before and after its work, and each chance is half of the percentage.
      let place = random.withLock { Int.random(in: 0..<200, using: &$0) }
      if place < percent { throw cut }
    }
  }

  /// The way to a hub with something that happens before and after each call of it.
  static func address(
    _ address: HubAddress, interrupt: @escaping @Sendable (Moment) async throws -> Void
  ) -> HubAddress {
    HubAddress(address.description) {
      InterruptedHub(hub: try await address.open($0), interrupt: interrupt)
    }
  }

  /// A hub that is open, with something that happens before and after each call of it.
  static func over(
    _ hub: any Hub, interrupt: @escaping @Sendable (Moment) async throws -> Void
  ) -> InterruptedHub {
    InterruptedHub(hub: hub, interrupt: interrupt)
  }

  /// The way to a hub whose calls are counted from 1 at a moment of each call.
  static func address(
    _ address: HubAddress, counting counted: Moment,
    interrupt: @escaping @Sendable (_ call: Int) async throws -> Void
  ) -> HubAddress {
    let calls = Locked(0)
    return Self.address(address) { moment in
      guard moment == counted else { return }
      let call = calls.withLock { calls in
        calls += 1
        return calls
      }
      try await interrupt(call)
    }
  }

  /// The error of a call that was cut, which is that of a hub out of reach.
  static let cut = KeepsakeError(
    .inputOutput, "The connection to the hub was cut.", cause: HubFault.unreachable)

  /// Tells whether an error is that of a call that was cut.
  static func isCut(_ error: any Error) -> Bool {
    (error as? KeepsakeError)?.cause as? HubFault == .unreachable
  }

  private func interrupted<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await interrupt(.before)
    let result = try await body()
    try await interrupt(.after)
    return result
  }

  var identity: HubIdentity { hub.identity }
  var feedPeer: HubPeer? { hub.feedPeer }
  func commit(_ offers: [HubOffer]) async throws -> [HubAnswer] {
    try await interrupted { try await hub.commit(offers) }
  }
  func hold(_ session: UUID, readingAfter version: Int64?, bytes: Int) async -> HubVersions? {
    await hub.hold(session, readingAfter: version, bytes: bytes)
  }
  func release(_ session: UUID) async { await hub.release(session) }
  func versions(of session: UUID, after version: Int64, bytes: Int) async throws -> HubVersions {
    try await interrupted { try await hub.versions(of: session, after: version, bytes: bytes) }
  }
  func rewrite(_ version: Int64, of session: UUID, stamp: UUID, as bytes: [UInt8]) async throws
    -> Bool
  {
    try await interrupted { try await hub.rewrite(version, of: session, stamp: stamp, as: bytes) }
  }
  func changes(after mark: HubMark?) async throws -> HubChanges {
    try await interrupted { try await hub.changes(after: mark) }
  }
  func directory() async throws -> HubDirectory {
    try await interrupted { try await hub.directory() }
  }
  func directory(of sessions: [UUID]) async throws -> HubDirectory {
    try await interrupted { try await hub.directory(of: sessions) }
  }
  func find(_ query: HubQuery) async throws -> [HubFound]? {
    try await interrupted { try await hub.find(query) }
  }
  func find(having term: HubTerm?, from first: UUID, to last: UUID, limit: Int) async throws
    -> [HubHead]?
  {
    try await interrupted {
      try await hub.find(having: term, from: first, to: last, limit: limit)
    }
  }
  func terms(of kind: HubTerm.Kind) async throws -> [HubCounted]? {
    try await interrupted { try await hub.terms(of: kind) }
  }
  func missing(of artifacts: [Artifact.ID]) async throws -> [Artifact.ID] {
    try await interrupted { try await hub.missing(of: artifacts) }
  }
  func put(
    _ artifact: Artifact.ID,
    _ hand: @escaping @Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void
  ) async throws { try await interrupted { try await hub.put(artifact, hand) } }
  func get(_ artifact: Artifact.ID, _ take: @escaping @Sendable ([UInt8]) throws -> Void)
    async throws
  { try await interrupted { try await hub.get(artifact, take) } }
  func assurances() async throws -> [String] {
    try await interrupted { try await hub.assurances() }
  }
  func artifacts(after artifact: Artifact.ID?) async throws -> [HubArtifact] {
    try await interrupted { try await hub.artifacts(after: artifact) }
  }
  func remove(
    _ artifacts: [Artifact.ID], unless needed: @Sendable () async throws -> Set<Artifact.ID>
  ) async throws { try await interrupted { try await hub.remove(artifacts, unless: needed) } }
  func listings(of sessions: [UUID]) async throws -> [HubListed]? {
    try await interrupted { try await hub.listings(of: sessions) }
  }
  func list(_ listed: HubListed) async throws -> Bool {
    try await interrupted { try await hub.list(listed) }
  }
  func leave(_ text: String, as kind: HubNote.Kind, _ id: UUID) async throws {
    try await interrupted { try await hub.leave(text, as: kind, id) }
  }
  func notes(_ kind: HubNote.Kind) async throws -> [HubNote] {
    try await interrupted { try await hub.notes(kind) }
  }
  func removeNotes(_ kind: HubNote.Kind, _ ids: [UUID]) async throws {
    try await interrupted { try await hub.removeNotes(kind, ids) }
  }
  func leftovers(olderThan age: Duration, removing: Bool) async throws -> Abandoned {
    try await interrupted { try await hub.leftovers(olderThan: age, removing: removing) }
  }
  func close() async { await hub.close() }
}
