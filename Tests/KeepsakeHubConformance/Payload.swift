package import Foundation
package import Keepsake
import KeepsakeFiles
package import KeepsakeTestSupport
package import Testing

/// Bytes that follow from a stamp, so that whoever reads a version knows what it has to say.
package enum Payload {
  package static func bytes(_ stamp: UUID, largest: Int = 3000) -> [UInt8] {
    var random = SeededGenerator(seed: seed(stamp))
    let count = Int.random(in: 0...largest, using: &random)
    return bytes(count, using: &random)
  }

  package static func bytes(_ count: Int, using random: inout SeededGenerator) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
      var word = random.next()
      for _ in 0..<8 {
        bytes.append(UInt8(truncatingIfNeeded: word))
        word >>= 8
      }
    }
    return Array(bytes.prefix(count))
  }

  private static func seed(_ stamp: UUID) -> UInt64 {
    stamp.uuidString.utf8.reduce(14_695_981_039_346_656_037) {
      ($0 ^ UInt64($1)) &* 1_099_511_628_211
    }
  }
}

extension Artifact.ID {
  /// The name of bytes.
  package init(of bytes: [UInt8]) { self.init(SHA256.digest(of: bytes)) }
}

extension HubOffer {
  /// An offer whose bytes follow from its stamp.
  package init(
    _ session: UUID, on base: UUID?, stamp: UUID = UUID(), needs artifacts: [Artifact.ID] = []
  ) {
    self.init(
      session: session, base: base, stamp: stamp, bytes: Payload.bytes(stamp), artifacts: artifacts)
  }
}

extension HubAnswer {
  /// The version of a yes.
  package var version: Int64? { if case .yes(let version) = self { version } else { nil } }
  /// The version that stands at the hub, in an answer of no.
  package var standing: HubHead?? { if case .no(let head) = self { .some(head) } else { nil } }
  /// The artifacts that the hub lacks; nil for another answer.
  package var lacking: [Artifact.ID]? {
    if case .lacks(let artifacts) = self { artifacts } else { nil }
  }
  /// Why it failed.
  package var failure: KeepsakeError? { if case .failed(let error) = self { error } else { nil } }
}

extension Hub {
  package func commit(_ offer: HubOffer) async throws -> HubAnswer {
    try #require(try await commit([offer]).first)
  }

  /// Reads all versions of a session, in parts.
  package func log(_ session: UUID, after version: Int64 = 0, bytes: Int = 10_000) async throws
    -> [HubVersion]
  {
    var all: [HubVersion] = []
    while true {
      let part = try await versions(
        of: session, after: all.last?.version ?? version, bytes: bytes)
      all += part.versions
      guard part.hasMore else { return all }
    }
  }

  /// Reads all versions of a session, and checks that they are dense, each built on the one before, with its own bytes.
  @discardableResult
  package func soundLog(_ session: UUID, _ location: SourceLocation = #_sourceLocation) async throws
    -> [HubVersion]
  {
    let log = try await log(session)
    #expect(
      log.map(\.version) == (1...).prefix(log.count).map(Int64.init), sourceLocation: location)
    var base: UUID?
    for version in log {
      #expect(version.base == base, sourceLocation: location)
      #expect(version.bytes == Payload.bytes(version.stamp), sourceLocation: location)
      base = version.stamp
    }
    #expect(Set(log.map(\.stamp)).count == log.count, sourceLocation: location)
    return log
  }

  /// Commits until it is taken, each time on what stands there.
  package func push(_ session: UUID, needs artifacts: [Artifact.ID] = []) async throws -> (
    version: Int64, stamp: UUID, tries: Int
  ) {
    let newest = try await versions(of: session, after: .max, bytes: 0).newest
    var base = try await versions(of: session, after: newest - 1, bytes: 0).versions.last?.stamp
    var tries = 0
    while true {
      tries += 1
      let stamp = UUID()
      let answer = try await commit(HubOffer(session, on: base, stamp: stamp, needs: artifacts))
      if let version = answer.version { return (version, stamp, tries) }
      let standing = try #require(answer.standing, "\(answer)")
      base = standing?.stamp
    }
  }

  package func put(_ bytes: [UInt8]) async throws -> Artifact.ID {
    let id = Artifact.ID(of: bytes)
    try await put(id) { try $0(bytes) }
    return id
  }

  /// Reads an artifact whole.
  package func bytes(_ artifact: Artifact.ID) async throws -> [UInt8] {
    let all = Locked<[UInt8]>([])
    try await get(artifact) { bytes in all.withLock { $0 += bytes } }
    return all.withLock { $0 }
  }
}
