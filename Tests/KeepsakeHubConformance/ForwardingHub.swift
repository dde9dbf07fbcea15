package import Foundation
package import Keepsake
package import KeepsakeFiles

/// A hub that has another one do what it does not do itself.
package protocol ForwardingHub: Hub {
  var hub: any Hub { get }
}

extension ForwardingHub {
  package var identity: HubIdentity { hub.identity }
  package var feedPeer: HubPeer? { hub.feedPeer }
  package func commit(_ offers: [HubOffer]) async throws -> [HubAnswer] {
    try await hub.commit(offers)
  }
  package func hold(_ session: UUID, readingAfter version: Int64?, bytes: Int) async -> HubVersions?
  {
    await hub.hold(session, readingAfter: version, bytes: bytes)
  }
  package func release(_ session: UUID) async { await hub.release(session) }
  package func versions(of session: UUID, after version: Int64, bytes: Int) async throws
    -> HubVersions
  {
    try await hub.versions(of: session, after: version, bytes: bytes)
  }
  package func rewrite(_ version: Int64, of session: UUID, stamp: UUID, as bytes: [UInt8])
    async throws
    -> Bool
  { try await hub.rewrite(version, of: session, stamp: stamp, as: bytes) }
  package func changes(after mark: HubMark?) async throws -> HubChanges {
    try await hub.changes(after: mark)
  }
  package func directory() async throws -> HubDirectory { try await hub.directory() }
  package func directory(of sessions: [UUID]) async throws -> HubDirectory {
    try await hub.directory(of: sessions)
  }
  package func find(_ query: HubQuery) async throws -> [HubFound]? { try await hub.find(query) }
  package func find(having term: HubTerm?, from first: UUID, to last: UUID, limit: Int) async throws
    -> [HubHead]?
  { try await hub.find(having: term, from: first, to: last, limit: limit) }
  package func terms(of kind: HubTerm.Kind) async throws -> [HubCounted]? {
    try await hub.terms(of: kind)
  }
  package func missing(of artifacts: [Artifact.ID]) async throws -> [Artifact.ID] {
    try await hub.missing(of: artifacts)
  }
  package func put(
    _ artifact: Artifact.ID,
    _ hand: @escaping @Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void
  ) async throws { try await hub.put(artifact, hand) }
  package func get(_ artifact: Artifact.ID, _ take: @escaping @Sendable ([UInt8]) throws -> Void)
    async throws
  { try await hub.get(artifact, take) }
  package func assurances() async throws -> [String] { try await hub.assurances() }
  package func artifacts(after artifact: Artifact.ID?) async throws -> [HubArtifact] {
    try await hub.artifacts(after: artifact)
  }
  package func remove(
    _ artifacts: [Artifact.ID], unless needed: @Sendable () async throws -> Set<Artifact.ID>
  ) async throws { try await hub.remove(artifacts, unless: needed) }
  package func listings(of sessions: [UUID]) async throws -> [HubListed]? {
    try await hub.listings(of: sessions)
  }
  package func list(_ listed: HubListed) async throws -> Bool { try await hub.list(listed) }
  package func leave(_ text: String, as kind: HubNote.Kind, _ id: UUID) async throws {
    try await hub.leave(text, as: kind, id)
  }
  package func notes(_ kind: HubNote.Kind) async throws -> [HubNote] { try await hub.notes(kind) }
  package func removeNotes(_ kind: HubNote.Kind, _ ids: [UUID]) async throws {
    try await hub.removeNotes(kind, ids)
  }
  package func leftovers(olderThan age: Duration, removing: Bool) async throws -> Abandoned {
    try await hub.leftovers(olderThan: age, removing: removing)
  }
  package func close() async { await hub.close() }
}
