import Foundation
import KeepsakeFiles

@testable import Keepsake

/// A hub that has another one do what it does not do itself.
protocol ForwardingHub: Hub {
  var hub: any Hub { get }
}

extension ForwardingHub {
  var identity: HubIdentity { hub.identity }
  var feedPeer: HubPeer? { hub.feedPeer }
  func commit(_ offers: [HubOffer]) async throws -> [HubAnswer] { try await hub.commit(offers) }
  func hold(_ session: UUID, readingAfter version: Int64?, bytes: Int) async -> HubVersions? {
    await hub.hold(session, readingAfter: version, bytes: bytes)
  }
  func release(_ session: UUID) async { await hub.release(session) }
  func versions(of session: UUID, after version: Int64, bytes: Int) async throws -> HubVersions {
    try await hub.versions(of: session, after: version, bytes: bytes)
  }
  func rewrite(_ version: Int64, of session: UUID, stamp: UUID, as bytes: [UInt8]) async throws
    -> Bool
  { try await hub.rewrite(version, of: session, stamp: stamp, as: bytes) }
  func changes(after mark: HubMark?) async throws -> HubChanges {
    try await hub.changes(after: mark)
  }
  func directory() async throws -> HubDirectory { try await hub.directory() }
  func directory(of sessions: [UUID]) async throws -> HubDirectory {
    try await hub.directory(of: sessions)
  }
  func find(_ query: HubQuery) async throws -> [HubFound]? { try await hub.find(query) }
  func find(having term: HubTerm?, from first: UUID, to last: UUID, limit: Int) async throws
    -> [HubHead]?
  { try await hub.find(having: term, from: first, to: last, limit: limit) }
  func terms(of kind: HubTerm.Kind) async throws -> [HubCounted]? {
    try await hub.terms(of: kind)
  }
  func missing(of artifacts: [Artifact.ID]) async throws -> [Artifact.ID] {
    try await hub.missing(of: artifacts)
  }
  func put(
    _ artifact: Artifact.ID,
    _ hand: @escaping @Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void
  ) async throws { try await hub.put(artifact, hand) }
  func get(_ artifact: Artifact.ID, _ take: @escaping @Sendable ([UInt8]) throws -> Void)
    async throws
  { try await hub.get(artifact, take) }
  func assurances() async throws -> [String] { try await hub.assurances() }
  func artifacts(after artifact: Artifact.ID?) async throws -> [HubArtifact] {
    try await hub.artifacts(after: artifact)
  }
  func remove(
    _ artifacts: [Artifact.ID], unless needed: @Sendable () async throws -> Set<Artifact.ID>
  ) async throws { try await hub.remove(artifacts, unless: needed) }
  func listings(of sessions: [UUID]) async throws -> [HubListed]? {
    try await hub.listings(of: sessions)
  }
  func list(_ listed: HubListed) async throws -> Bool { try await hub.list(listed) }
  func leave(_ text: String, as kind: HubNote.Kind, _ id: UUID) async throws {
    try await hub.leave(text, as: kind, id)
  }
  func notes(_ kind: HubNote.Kind) async throws -> [HubNote] { try await hub.notes(kind) }
  func removeNotes(_ kind: HubNote.Kind, _ ids: [UUID]) async throws {
    try await hub.removeNotes(kind, ids)
  }
  func leftovers(olderThan age: Duration, removing: Bool) async throws -> Abandoned {
    try await hub.leftovers(olderThan: age, removing: removing)
  }
  func close() async { await hub.close() }
}
