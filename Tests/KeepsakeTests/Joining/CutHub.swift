import Foundation
import KeepsakeFiles
import KeepsakeTestSupport

@testable import Keepsake

/// A hub whose calls fail at random, before or after it did what it was asked for.
struct CutHub: Hub {
  let hub: any Hub
  private let random: Locked<(generator: SeededGenerator, percent: Int)>

  init(_ hub: any Hub, seed: UInt64, percent: Int) {
    self.hub = hub
    random = Locked((SeededGenerator(seed: seed), percent))
  }

  /// The way to a hub whose calls fail.
  static func address(_ address: HubAddress, seed: UInt64, percent: Int) -> HubAddress {
    HubAddress(address.description) {
      CutHub(try await address.open($0), seed: seed, percent: percent)
    }
  }

  /// The error of a call that was cut, which is that of a hub out of reach.
  static let cut = KeepsakeError(
    .inputOutput, "The connection to the hub was cut.", cause: HubFault.unreachable)

  /// Tells whether an error is that of a call that was cut.
  static func isCut(_ error: any Error) -> Bool {
    (error as? KeepsakeError)?.cause as? HubFault == .unreachable
  }

  private func cut<Result>(_ body: () async throws -> Result) async throws -> Result {
    let (before, after) = random.withLock { random in
      let place = Int.random(in: 0..<200, using: &random.generator)
      return (place < random.percent, place >= 200 - random.percent)
    }
    if before { throw Self.cut }
    let result = try await body()
    if after { throw Self.cut }
    return result
  }

  var identity: HubIdentity { hub.identity }
  var feedPeer: HubPeer? { hub.feedPeer }
  func commit(_ offers: [HubOffer]) async throws -> [HubAnswer] {
    try await cut { try await hub.commit(offers) }
  }
  func versions(of session: UUID, after version: Int64, bytes: Int) async throws -> HubVersions {
    try await cut { try await hub.versions(of: session, after: version, bytes: bytes) }
  }
  func rewrite(_ version: Int64, of session: UUID, stamp: UUID, as bytes: [UInt8]) async throws
    -> Bool
  {
    try await cut { try await hub.rewrite(version, of: session, stamp: stamp, as: bytes) }
  }
  func changes(after mark: HubMark?) async throws -> HubChanges {
    try await cut { try await hub.changes(after: mark) }
  }
  func directory() async throws -> HubDirectory { try await cut { try await hub.directory() } }
  func missing(of artifacts: [Artifact.ID]) async throws -> [Artifact.ID] {
    try await cut { try await hub.missing(of: artifacts) }
  }
  func put(
    _ artifact: Artifact.ID,
    _ hand: @escaping @Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void
  ) async throws { try await cut { try await hub.put(artifact, hand) } }
  func get(_ artifact: Artifact.ID, _ take: @escaping @Sendable ([UInt8]) throws -> Void)
    async throws
  { try await cut { try await hub.get(artifact, take) } }
  func assurances() async throws -> [String] { try await cut { try await hub.assurances() } }
  func artifacts(after artifact: Artifact.ID?) async throws -> [HubArtifact] {
    try await cut { try await hub.artifacts(after: artifact) }
  }
  func remove(
    _ artifacts: [Artifact.ID], unless needed: @Sendable () async throws -> Set<Artifact.ID>
  ) async throws { try await cut { try await hub.remove(artifacts, unless: needed) } }
  func close() async { await hub.close() }
}
