import KeepsakeFiles
import Foundation
import Keepsake
import Testing

/// An artifact whose bytes somebody altered or removed gives an error, and never other bytes.
@Suite struct `An artifact's bytes` {
  static let original = [UInt8](repeating: 7, count: 300_000)

  enum Harm: CaseIterable {
    case flipped, cut, grown, emptied, removed, replacedByLink, replacedByFolder,
      replacedByFullFolder
  }

  @Test(arguments: Harm.allCases, [true, false])
  func `D6: are never given back wrong, are listed by verify, and brought back by attaching them`(
    harm: Harm, wasReadBefore: Bool
  ) async throws {
    let folder = try TestFolder()
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    let attachment = try await session.attach(.init(.bytes(Self.original)))
    let artifact = try #require(attachment.artifact)
    if wasReadBefore { #expect(try await Array(artifact.data()) == Self.original) }
    try Self.inflict(harm, on: Self.file(of: artifact, in: folder.store))

    let expected: KeepsakeError.Code = harm == .removed ? .artifactMissing : .artifactDamaged
    await expect(expected) { try await artifact.data() }
    await expect(expected) { try await artifact.data(in: 10..<20) }
    await expect(expected) { for try await _ in artifact.chunks() {} }
    await expect(expected) { try await attachment.fileURL() }
    #expect(try await session.attachments().count == 1, "what is said of it is still there")
    try await Self.expectListed(artifact, in: store)

    // Attaching the original again brings the bytes back.
    let again = try await session.attach(.init(.bytes(Self.original)))
    #expect(again.artifact == artifact)
    #expect(try await Array(artifact.data()) == Self.original)
    #expect(try await store.verify(.init(readData: true)).isSound)
    if harm == .replacedByFullFolder {
      #expect(
        try Self.notes(in: folder.store) == ["mine"], "a stranger's files are not ours to remove")
    }
    await store.close()
  }

  private static func expectListed(
    _ artifact: Artifact, in store: Store, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let report = try await store.verify(.init(readData: true))
    let found = report.findings.filter { $0.severity == .damaged }.map(\.object)
    #expect(Set(found) == [artifact.id.description], sourceLocation: location)
    #expect(!report.isSound, sourceLocation: location)
  }

  private static func notes(in store: URL) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: store.path)
      .filter { $0.hasSuffix("/notes.txt") }
      .map { try String(contentsOf: store.appending(path: $0), encoding: .utf8) }
  }

  /// What other programs can do to the bytes of a row.
  static let rowHarms = [
    "UPDATE blob SET bytes = CAST('a small two' AS BLOB)",
    "UPDATE blob SET bytes = x''",
    "UPDATE blob SET bytes = CAST(bytes || x'00' AS BLOB)",
    "UPDATE artifact SET size = 5",
    "DELETE FROM blob",
  ]

  @Test(arguments: rowHarms, [true, false])
  func `D6: in a row of the database are checked, listed and brought back too`(
    harm: String, isOpenMeanwhile: Bool
  ) async throws {
    let folder = try TestFolder()
    var store = try await Store(at: folder.store)
    var session = try await store.createSession()
    let original = Array("a small one".utf8)
    // Twice: the second time the store looks at what it has, and knows that it is right.
    for _ in 0..<2 { try await session.attach(.init(.bytes(original))) }
    if !isOpenMeanwhile { await store.close() }
    let program = try OtherProgram(
      "/usr/bin/env",
      ["sqlite3", folder.store.appending(path: "store.sqlite").path, harm])
    #expect(program.succeeds())
    if !isOpenMeanwhile {
      store = try await Store(at: folder.store)
      session = try await store.session(session.id)
    }

    let found = try #require(try await session.attachments().first)
    let artifact = try #require(found.artifact)
    let expected: KeepsakeError.Code =
      harm.hasPrefix("DELETE") ? .artifactMissing : .artifactDamaged
    await expect(expected) { try await found.data() }
    await expect(expected) { try await artifact.data(in: 1..<2) }
    await expect(expected) { for try await _ in artifact.chunks(of: 3) {} }
    await expect(expected) { try await found.fileURL() }
    try await Self.expectListed(artifact, in: store)
    // Nothing but the name is known here, so the store can't say that it holds it.
    await expect(expected) { try await session.attach(.init(.artifact(artifact.id))) }

    let again = try await session.attach(.init(.bytes(original)))
    #expect(try await Array(again.data()) == original)
    #expect(try await session.attachments().count == 3)
    for attachment in try await session.attachments() {
      #expect(try await Array(attachment.data()) == original)
      #expect(try Data(contentsOf: try await attachment.fileURL()) == Data(original))
    }
    #expect(try await store.verify(.init(readData: true)).isSound)
    await store.close()
  }

  @Test(.enabled(if: getuid() != 0, "root may read every file"))
  func `D6: that this user may not read are told, and found by verify`() async throws {
    let folder = try TestFolder()
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    let artifact = try #require(
      try await session.attach(.init(.bytes(Self.original))).artifact)
    let file = Self.file(of: artifact, in: folder.store)
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
    #expect(await keepsakeError { try await artifact.data() }?.code == .permissionDenied)
    #expect(try await !store.verify(.init(readData: true)).isSound)
    await store.close()
  }

  @Test func `that are gone can't be attached by their name`() async throws {
    let folder = try TestFolder()
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    let artifact = try #require(
      try await session.attach(.init(.bytes(Self.original))).artifact)
    try Self.inflict(.flipped, on: Self.file(of: artifact, in: folder.store))
    await expect(.artifactDamaged) { try await session.attach(.init(.artifact(artifact.id))) }
    try Self.inflict(.removed, on: Self.file(of: artifact, in: folder.store))
    await expect(.artifactMissing) { try await session.attach(.init(.artifact(artifact.id))) }
    #expect(try await session.attachments().count == 1)
    await store.close()
  }

  @Test func `in the copy that is shown are made again where they were altered`() async throws {
    let folder = try TestFolder()
    for size in [100, 300_000] {
      let original = [UInt8](repeating: 3, count: size)
      var wrong = original
      wrong[50] = 4
      let store = try await Store(at: folder.store)
      let session = try await store.createSession()
      let attachment = try await session.attach(.init(.bytes(original)))
      let url = try await attachment.fileURL()
      for _ in 0..<2 {
        try FileManager.default.removeItem(at: url)
        try Data(wrong).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: url.path)
        #expect(try await attachment.fileURL() == url)
        #expect(try Data(contentsOf: url) == Data(original))
      }
      await store.close()
    }
  }

  static func file(of artifact: Artifact, in store: URL) -> URL {
    let hex = artifact.id.hex
    return store.appending(path: "artifacts/\(hex.prefix(2))/\(hex.dropFirst(2))")
  }

  private static func inflict(_ harm: Harm, on file: URL) throws {
    var bytes = original
    switch harm {
    case .flipped: bytes[150_000] ^= 1
    case .cut: bytes.removeLast()
    case .grown: bytes.append(7)
    case .emptied: bytes = []
    case .removed, .replacedByLink, .replacedByFolder, .replacedByFullFolder: break
    }
    try FileManager.default.removeItem(at: file)
    switch harm {
    case .removed: break
    case .replacedByLink:
      let elsewhere = file.deletingLastPathComponent().appending(path: "elsewhere")
      try Data(bytes).write(to: elsewhere)
      try FileManager.default.createSymbolicLink(at: file, withDestinationURL: elsewhere)
    case .replacedByFolder, .replacedByFullFolder:
      try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
      if harm == .replacedByFolder { break }
      try Data("mine".utf8).write(to: file.appending(path: "notes.txt"))
    default: try Data(bytes).write(to: file)
    }
  }

  private func expect<Result>(
    _ code: KeepsakeError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Result
  ) async {
    let error = await keepsakeError(sourceLocation: sourceLocation, body)
    #expect(error?.code == code, sourceLocation: sourceLocation)
    #expect(error?.message.contains("backup") == true, sourceLocation: sourceLocation)
  }
}
