import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import Keepsake

/// Checking a hub, and sweeping it.
@Suite struct `A hub that somebody looks after` {
  /// Makes a store with a session that shows an artifact, and syncs it.
  private func share(_ mirrors: Mirrors, _ bytes: [UInt8]) async throws -> Session {
    let session = try await mirrors.first.createSession(title: "Ships")
    try await session.append(.response("Here it is."))
    try await session.attach(.init(.bytes(bytes)), to: 0)
    try await mirrors.first.sync()
    return session
  }

  private func file(_ artifact: Artifact.ID, _ mirrors: Mirrors) -> String {
    let hex = artifact.digest.hex
    return "\(mirrors.folder.path)/artifact/\(hex.prefix(2))/\(hex)"
  }

  @Test func `says which bytes are missing or altered, and has them again from a store`()
    async throws
  {
    try await Mirrors.make(2) { mirrors in
      let (one, two) = (Array("one".utf8), Array("another".utf8))
      let first = try await share(mirrors, one)
      _ = try await share(mirrors, two)
      let sound = try await Store.checkHub(at: mirrors.address, readingData: true)
      #expect(sound.isSound && sound.findings == [] && sound.lacking == [])
      #expect((sound.sessions, sound.artifacts, sound.artifactBytes) == (2, 2, 10))
      try FileManager.default.removeItem(atPath: file(Artifact.ID(of: one), mirrors))
      try Data("anothes".utf8).write(to: URL(filePath: file(Artifact.ID(of: two), mirrors)))
      let quick = try await Store.checkHub(at: mirrors.address)
      #expect(quick.lacking == [Artifact.ID(of: one)])
      #expect(quick.findings.count == 1 && !quick.isSound)
      #expect(quick.findings[0].what.contains(first.id.uuidString.lowercased()))
      let full = try await Store.checkHub(at: mirrors.address, readingData: true)
      #expect(Set(full.lacking) == [Artifact.ID(of: one), Artifact.ID(of: two)])
      // A store that has not got them changes nothing.
      #expect(try await mirrors.second.putAgain(full.lacking, at: mirrors.address) == [])
      let put = try await mirrors.first.putAgain(full.lacking, at: mirrors.address)
      #expect(Set(put) == Set(full.lacking))
      #expect(try await Store.checkHub(at: mirrors.address, readingData: true) == sound)
      try await mirrors.sync()
      try await mirrors.requireSame()
    }
  }

  @Test func `says which session can't be read, and sweeps nothing then`() async throws {
    try await Mirrors.make(2) { mirrors in
      let session = try await share(mirrors, [1])
      let other = try await share(mirrors, [2])
      let hub = try await mirrors.folder.open()
      let unused = try await hub.put([3])
      let version =
        "\(mirrors.folder.path)/session/\(FolderHub.name(of: session.id))/\(VersionFile.name(1))"
      var bytes = try Data(contentsOf: URL(filePath: version))
      bytes[bytes.count - 1] ^= 1
      try bytes.write(to: URL(filePath: version))
      let report = try await Store.checkHub(at: mirrors.address)
      #expect(!report.isSound && report.findings.count == 1)
      #expect(report.findings[0].object == "session \(session.id.uuidString.lowercased())")
      #expect(report.sessions == 1, "the other one can be read: \(other.id)")
      let error = await #expect(throws: KeepsakeError.self) {
        try await Store.sweepHub(at: mirrors.address, olderThan: .zero)
      }
      #expect(error?.code == .damaged)
      #expect(error?.message.contains(session.id.uuidString.lowercased()) == true)
      #expect(try await hub.missing(of: [unused, Artifact.ID(of: [1])]) == [])
    }
  }

  @Test func `misses what a fork was made from`() async throws {
    try await Mirrors.make(1) { mirrors in
      let session = try await share(mirrors, [1])
      let fork = try await session.fork(before: 1)
      try await mirrors.first.sync()
      #expect(try await Store.checkHub(at: mirrors.address).isSound)
      try FileManager.default.removeItem(
        atPath: "\(mirrors.folder.path)/session/\(FolderHub.name(of: session.id))")
      let report = try await Store.checkHub(at: mirrors.address)
      #expect(report.findings.map(\.object) == ["session \(fork.id.uuidString.lowercased())"])
      #expect(report.findings[0].what.contains("forked from session"))
    }
  }

  @Test func `loses what was erased, where the eraser went away in the middle`() async throws {
    try await Mirrors.make(2) { mirrors in
      let session = try await share(mirrors, Array("a secret picture".utf8))
      try await session.append(.prompt("a secret word"))
      try await mirrors.sync()
      try await session.erase(1)
      // The connection ends with every rewriting.
      let folder = mirrors.folder
      let address = HubAddress(mirrors.address.description) { _ in
        try await folder.open { if $0 == .rewritingBegun { throw InterruptedHub.cut } }
      }
      await #expect(throws: (any Error).self) { try await mirrors.first.sync(with: address) }
      #expect(try mirrors.finds("a secret word"))
      let report = try await Store.checkHub(at: mirrors.address)
      #expect(report.isSound && report.findings.count == 1)
      #expect(report.findings[0].what.contains("still say what was erased"))
      let preview = try await Store.sweepHub(at: mirrors.address, isPreview: true)
      #expect(preview.sessions == 1)
      #expect(try mirrors.finds("a secret word"))
      #expect(try await Store.sweepHub(at: mirrors.address) == preview)
      #expect(try !mirrors.finds("a secret word"))
      #expect(try await Store.checkHub(at: mirrors.address).findings == [])
      try await mirrors.sync()
      try await mirrors.requireSame()
    }
  }

  @Test func `keeps what a store tells of while it is swept`() async throws {
    try await Mirrors.make(1) { mirrors in
      let hub = try await mirrors.folder.open()
      let bytes = Array("used again".utf8)
      let artifact = try await hub.put(bytes)
      // The survey is done, and a store uses the artifact before it goes.
      _ = try await share(mirrors, bytes)
      try await hub.remove([artifact]) {
        try await hub.artifactsNamed(among: [artifact], beyond: [:])
      }
      #expect(try await hub.missing(of: [artifact]) == [])
      try await Store.sweepHub(at: mirrors.address, olderThan: .zero)
      #expect(try await hub.bytes(artifact) == bytes)
    }
  }
}
