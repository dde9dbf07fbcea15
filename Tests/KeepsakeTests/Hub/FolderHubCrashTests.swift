import KeepsakeFiles
import Foundation
import KeepsakeTestSupport
import KeepsakeHubConformance
import Testing

@testable import Keepsake

/// A crash at every step, and errors of the disk.
@Suite struct `A hub in a folder whose writers end in the middle` {
  private struct Stop: Error {}

  /// The steps at which a version gets other bytes.
  private static let rewriting: [FolderStep] = [
    .rewritingBegun, .rewritingWritten, .rewritingPlaced,
  ]

  @Test(arguments: rewriting) func `has the old bytes of a version, or the new ones`(
    _ step: FolderStep
  ) async throws {
    let folder = try HubFolder()
    let session = UUID()
    let writer = try await folder.open()
    for _ in 0..<3 { _ = try await writer.push(session) }
    let log = try await writer.soundLog(session)
    let hub = try await folder.open { reached in if reached == step { throw Stop() } }
    await #expect(throws: KeepsakeError.self) {
      try await hub.rewrite(2, of: session, stamp: log[1].stamp, as: [7])
    }
    let after = try await folder.open()
    #expect(
      try await after.log(session).map(\.bytes)
        == [log[0].bytes, step == .rewritingPlaced ? [7] : log[1].bytes, log[2].bytes])
    #expect(try await after.rewrite(2, of: session, stamp: log[1].stamp, as: [7]))
    #expect(try await after.log(session)[1].bytes == [7])
    #expect(try HubFolder.files(folder.path).allSatisfy { !$0.contains(".keepsake-new-") })
  }

  @Test func `reads an artifact that was on its way out, and has it again, or not at all`()
    async throws
  {
    let folder = try HubFolder()
    let bytes = Array("an artifact".utf8)
    let hub = try await folder.open { reached in if reached == .artifactGoing { throw Stop() } }
    let artifact = try await hub.put(bytes)
    await #expect(throws: (any Error).self) { try await hub.remove([artifact]) { [] } }
    let after = try await folder.open()
    #expect(try await after.missing(of: [artifact]) == [artifact])
    #expect(try await after.bytes(artifact) == bytes)
    #expect(try await after.artifacts(after: nil).map(\.id) == [artifact])
    let copy = try folder.crash()
    // Whoever needs it puts it again, which leaves one file when the next removal looks.
    _ = try await after.put(bytes)
    #expect(try await after.missing(of: [artifact]) == [])
    try await after.remove([artifact]) { [artifact] }
    #expect(try await after.bytes(artifact) == bytes)
    #expect(try HubFolder.files(folder.path).filter { $0.hasPrefix("artifact/") }.count == 1)
    // Nobody needs it: the next removal finishes the first one.
    let other = try await FolderHub.open(at: copy)
    try await other.remove([artifact]) { [] }
    #expect(try await other.artifacts(after: nil) == [])
    #expect(try HubFolder.files(copy).allSatisfy { !$0.hasPrefix("artifact/") })
  }

  @Test(arguments: FolderStep.allCases.filter { !rewriting.contains($0) && $0 != .artifactGoing })
  func `shows nothing half, and takes the same again`(
    _ step: FolderStep
  ) async throws {
    let folder = try HubFolder()
    let session = UUID()
    let bytes = Array("an artifact of some length".utf8)
    let artifact = Artifact.ID(of: bytes)
    let first = HubOffer(session, on: nil)
    do {
      let hub = try await folder.open()
      #expect(try await hub.commit(first).version == 1)
    }
    let image = Locked<String?>(nil)
    // The work stops once, at the given step; the folder at that moment is as a crash leaves it.
    let hub = try await folder.open { reached in
      guard reached == step else { return }
      let isFirst = try image.withLock { image in
        guard image == nil else { return false }
        image = try folder.crash()
        return true
      }
      if isFirst { throw Stop() }
    }
    let offer = HubOffer(session, on: first.stamp, needs: [artifact])
    do { _ = try await hub.put(bytes) } catch is Stop {
      // The hub shows nothing of an artifact that was not put whole.
      #expect(try await hub.missing(of: [artifact]) == (step == .artifactPlaced ? [] : [artifact]))
      _ = try await hub.put(bytes)
    }
    let answer = try await hub.commit(offer)
    if answer.version == nil {
      #expect(answer.failure?.cause is Stop, "\(answer)")
      #expect(try await hub.commit(offer).version == 2)
    }
    #expect(try await hub.soundLog(session).map(\.stamp) == [first.stamp, offer.stamp])
    let path = try #require(image.withLock { $0 }, "the step was not reached")
    try await check(path, step, first, offer, bytes)
  }

  /// Opens what the crash left.
  private func check(
    _ path: String, _ step: FolderStep, _ first: HubOffer, _ offer: HubOffer, _ bytes: [UInt8]
  ) async throws {
    let isIn = [.versionPlaced, .feedWritten].contains(step)
    for isCleared in [false, true] {
      let copy = path + "-\(isCleared)"
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      let hub = try await FolderHub.open(at: copy)
      let left = try HubFolder.files(copy).filter { $0.contains(".keepsake-new-") }
      let hasLeft: Set<FolderStep> = [
        .versionBegun, .versionHalf, .versionWritten, .artifactBegun, .artifactHalf,
        .artifactWritten,
      ]
      #expect(left.count == (hasLeft.contains(step) ? 1 : 0))
      #expect(try await hub.soundLog(offer.session).count == (isIn ? 2 : 1))
      #expect(try await hub.directory().heads.map(\.version) == [isIn ? 2 : 1])
      if isCleared {
        #expect(
          try await hub.removeLeftovers().count == left.filter { $0.hasPrefix("artifact") }.count)
      }
      _ = try await hub.put(bytes)
      #expect(try await hub.commit(offer).version == 2)
      #expect(try await hub.commit(first).version == 1)
      #expect(try await hub.soundLog(offer.session).count == 2)
      #expect(try await hub.bytes(offer.artifacts[0]) == bytes)
      // Listing the session's folder removed the leftovers in it.
      let rest = try HubFolder.files(copy).filter { $0.contains(".keepsake-new-") }
      #expect(rest.allSatisfy { !isCleared && $0.hasPrefix("artifact") })
    }
  }

  @Test func `a second name of a version, left between two calls, does no harm`() async throws {
    let folder = try HubFolder()
    let session = UUID()
    let offer = HubOffer(session, on: nil)
    #expect(try await folder.open().commit(offer).version == 1)
    let place = "\(folder.path)/session/\(FolderHub.name(of: session))"
    try FileManager.default.linkItem(
      atPath: "\(place)/\(VersionFile.name(1))",
      toPath: "\(place)/.keepsake-new-\(String(repeating: "a", count: 32))")
    let hub = try await folder.open()
    #expect(try await hub.soundLog(session).count == 1)
    #expect(try await hub.commit(offer).version == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place) == [VersionFile.name(1)])
  }

  @Test func `a file that somebody writes is no leftover`() async throws {
    let folder = try HubFolder()
    let other = try await folder.open()
    let hub = try await folder.open { step in
      guard step == .versionWritten else { return }
      let cleared = Monitor<Int?>(nil)
      Task.detached {
        let count = try await other.removeLeftovers().count
        cleared.withLock { $0 = count }
        cleared.broadcast()
      }
      #expect(cleared.wait { $0 } == 0)
    }
    let session = UUID()
    #expect(try await hub.commit(HubOffer(session, on: nil)).version == 1)
    #expect(try await other.soundLog(session).count == 1)
  }

  @Test func `one session's error is no other's`() async throws {
    let folder = try HubFolder()
    let fails = Locked(true)
    let hub = try await folder.open { step in
      guard step == .versionWritten,
        fails.withLock({
          let was = $0; $0 = false; return was
        })
      else {
        return
      }
      throw FileError(
        code: .noSpace, message: "Can't write: no space left. Free some.", path: folder.path)
    }
    let offers = (0..<4).map { _ in HubOffer(UUID(), on: nil) }
    let answers = try await hub.commit(offers)
    #expect(answers.compactMap(\.version) == [1, 1, 1])
    let failure = try #require(answers.compactMap(\.failure).first)
    #expect(failure.code == .diskFull)
    #expect(failure.cause as? HubFault == .unreachable)
    #expect(failure.message.contains(folder.path))
    #expect(try await hub.commit(offers).compactMap(\.version) == [1, 1, 1, 1])
    #expect(try await hub.directory().heads.count == 4)
  }
}

#if os(Linux)
  @Suite struct `A hub on a full disk` {
    @Test(.enabled(if: SmallDisk.isPermitted)) func `says so, and loses nothing`() async throws {
      let disk = try #require(try SmallDisk(megabytes: 2))
      let path = disk.url.appending(path: "Hub").path
      let hub = try await FolderHub.open(at: path, making: true)
      let session = UUID()
      for _ in 0..<10 { _ = try await hub.push(session) }
      let log = try await hub.soundLog(session)
      let reserve = disk.url.appending(path: "filler")
      try SmallDisk.fill(reserve)
      let stamp = UUID()
      let offer = HubOffer(
        session: session, base: log.last?.stamp, stamp: stamp,
        bytes: Array(repeating: 7, count: 100_000), artifacts: [])
      let failure = try #require(try await hub.commit(offer).failure)
      #expect(failure.code == .diskFull)
      #expect(failure.message.contains(path))
      let put = await #expect(throws: KeepsakeError.self) {
        try await hub.put(Array(repeating: 9, count: 100_000))
      }
      #expect(put?.code == .diskFull)
      #expect(try await hub.soundLog(session) == log)
      #expect(try HubFolder.files(path).allSatisfy { !$0.contains(".keepsake-new-") })
      try FileManager.default.removeItem(at: reserve)
      #expect(try await hub.commit(offer).version == 11)
      #expect(try await FolderHub.open(at: path).log(session).last?.bytes == offer.bytes)
    }
  }
#endif
