import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import KeepsakeTestSupport

@testable import Keepsake

/// A hub that lies now and then about what it has, without a word that something is wrong.
struct LyingHub: ForwardingHub {
  let hub: any Hub
  private let liar: Locked<(random: SeededGenerator, percent: Int)>
  private let told: Locked<[Lie: Int]>

  /// A lie about what the hub has.
  enum Lie: CaseIterable {
    /// A bit of a version is another one.
    case flipped
    /// A version ends too early.
    case truncated
    /// Two versions have changed their places.
    case reordered
    /// A version is given again under the number and the stamp of a later one.
    case replayed
    /// A version of another session is given.
    case exchanged
    /// The newest versions are not there.
    case rolledBack
    /// Sessions are not in the directory.
    case hidden
    /// Artifacts are missing that are there, or the other way round.
    case miscounted
    /// The bytes of an artifact are others.
    case altered
    /// A commit was taken, and is not there.
    case dropped
    /// A commit was not taken, and is there.
    case denied
  }

  /// The way to a hub that lies.
  /// - Parameters:
  ///   - address: The hub that tells the truth.
  ///   - seed: The seed from which the lies follow.
  ///   - percent: How many of a hundred answers are lies.
  ///   - told: Counts the lies.
  static func address(
    _ address: HubAddress, seed: UInt64, percent: Int, counting told: Locked<[Lie: Int]>
  ) -> HubAddress {
    HubAddress(address.description) {
      LyingHub(
        hub: try await address.open($0), liar: Locked((SeededGenerator(seed: seed), percent)),
        told: told)
    }
  }

  /// Chooses one of some lies; nil where the truth is told.
  private func choose(_ lies: Lie...) -> Lie? {
    liar.withLock { liar in
      guard Int.random(in: 0..<100, using: &liar.random) < liar.percent else { return nil }
      return lies.randomElement(using: &liar.random)
    }
  }

  private func number(below end: Int) -> Int {
    liar.withLock { Int.random(in: 0..<max(1, end), using: &$0.random) }
  }

  private func count(_ lie: Lie) { told.withLock { $0[lie, default: 0] += 1 } }

  // MARK: - Versions

  func versions(of session: UUID, after version: Int64, bytes: Int) async throws -> HubVersions {
    let truth = try await hub.versions(of: session, after: version, bytes: bytes)
    guard !truth.versions.isEmpty,
      let lie = choose(.flipped, .truncated, .reordered, .replayed, .exchanged, .rolledBack)
    else { return truth }
    var versions = truth.versions
    let place = number(below: versions.count)
    func give(_ bytes: [UInt8], at place: Int) {
      let old = versions[place]
      versions[place] = HubVersion(
        version: old.version, stamp: old.stamp, base: old.base, saying: bytes)
    }
    var other = versions[place].bytes
    switch lie {
    case .flipped: other[number(below: other.count)] ^= 1 << UInt8(number(below: 8))
    case .truncated: other.removeLast(1 + number(below: other.count))
    case .reordered:
      let second = number(below: versions.count)
      other = versions[second].bytes
      give(versions[place].bytes, at: second)
    case .replayed:
      let all = try await hub.versions(of: session, after: 0, bytes: .max).versions
      let earlier = all.prefix { $0.version < versions[place].version }
      guard !earlier.isEmpty else { return truth }
      other = earlier[number(below: earlier.count)].bytes
    case .exchanged:
      let heads = try await hub.directory().heads
      let head = heads[number(below: heads.count)]
      guard
        let version = try await hub.versions(
          of: head.session, after: head.version - 1, bytes: 0
        ).versions.last
      else { return truth }
      other = version.bytes
    default:
      count(lie)
      let kept = Array(versions.prefix(place))
      return HubVersions(versions: kept, newest: kept.last?.version ?? version)
    }
    give(other, at: place)
    if versions != truth.versions { count(lie) }
    return HubVersions(versions: versions, newest: truth.newest)
  }

  func directory() async throws -> HubDirectory {
    var directory = try await hub.directory()
    guard !directory.heads.isEmpty, let lie = choose(.hidden) else { return directory }
    count(lie)
    directory.heads.remove(at: number(below: directory.heads.count))
    return directory
  }

  func changes(after mark: HubMark?) async throws -> HubChanges {
    var changes = try await hub.changes(after: mark)
    guard !changes.sessions.isEmpty, let lie = choose(.hidden) else { return changes }
    count(lie)
    changes.sessions = changes.sessions.filter { _ in number(below: 2) == 0 }
    return changes
  }

  func commit(_ offers: [HubOffer]) async throws -> [HubAnswer] {
    guard let lie = choose(.dropped, .denied) else { return try await hub.commit(offers) }
    count(lie)
    if lie == .denied {
      _ = try await hub.commit(offers)
      return offers.map { _ in .no(nil) }
    }
    var answers: [HubAnswer] = []
    for offer in offers {
      let newest = try await hub.versions(of: offer.session, after: .max, bytes: 0).newest
      answers.append(.yes(version: newest + 1))
    }
    return answers
  }

  // MARK: - Artifacts

  func missing(of artifacts: [Artifact.ID]) async throws -> [Artifact.ID] {
    let missing = try await hub.missing(of: artifacts)
    guard !artifacts.isEmpty, let lie = choose(.miscounted) else { return missing }
    count(lie)
    return artifacts.filter { !missing.contains($0) }
  }

  func get(_ artifact: Artifact.ID, _ take: @escaping @Sendable ([UInt8]) throws -> Void)
    async throws
  {
    guard let lie = choose(.altered) else { return try await hub.get(artifact, take) }
    count(lie)
    let flip = number(below: 2) == 0
    try await hub.get(artifact) { bytes in
      var bytes = bytes
      if flip, !bytes.isEmpty { bytes[0] ^= 1 } else { bytes = bytes.dropLast() }
      try take(bytes)
    }
  }
}
