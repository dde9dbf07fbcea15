import KeepsakeFiles
import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

/// Programs that end without warning, in the midst of what takes long: the store stays as it was, and what they were
/// writing does not pile up.
@Suite("Programs that are killed", .serialized)
struct KilledTests {
  private static let prefix = ".keepsake-new-"

  /// A store that takes a while to be copied.
  private func store() async throws -> FruitStore {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      let session = try await store.createSession(title: "large")
      for number in 0..<12 {
        try await session.attach(
          .init(.data(Data(repeating: UInt8(number), count: 1 << 18)), madeBy: .user))
      }
    }
    return fruit
  }

  private func hidden(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      .filter { $0.hasPrefix(Self.prefix) }
  }

  /// Kills a command once it writes something hidden, or after so long.
  private func kill(
    _ arguments: [String], store: String, hiddenIn folder: TemporaryFolder? = nil,
    after delay: Duration = .zero
  ) async throws {
    let process = try KeepsakeProcess(
      KeepsakeProcess.executable, arguments, environment: ["KEEPSAKE_STORE": store])
    if let folder {
      let deadline = Instant.now.advanced(by: .seconds(60))
      while process.isRunning, try hidden(folder).isEmpty, Instant.now < deadline {
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    try await Task.sleep(for: delay)
    process.kill()
    _ = try await process.end()
  }

  @Test func `G3: backups and exports that were killed leave nothing once another one is made`()
    async throws
  {
    let fruit = try await store()
    let copies = try TemporaryFolder()
    for number in 0..<3 {
      try await kill(
        ["backup", copies.path("\(number).keepsake")], store: fruit.path, hiddenIn: copies,
        after: .milliseconds(10 * number))
      // Never more than what the last one left.
      #expect(try hidden(copies).count <= 1)
      try await kill(
        ["export", "last", "--format", "keepsake", "-o", copies.path("\(number).tar")],
        store: fruit.path, hiddenIn: copies)
      #expect(try hidden(copies).count <= 1)
    }
    let run = await fruit.run("backup", copies.path("Copy.keepsake"))
    #expect(run.code == .done, "\(run.error)")
    #expect(try hidden(copies).isEmpty)
    #expect(await fruit.run("verify").code == .done)
  }

  @Test(arguments: [["sweep", "--older-than", "0h"], ["compact"], ["new", "another"]])
  func `G3: sweeping, compacting and creating that were killed leave the store sound`(
    arguments: [String]
  ) async throws {
    let fruit = try await FruitStore()
    for number in 0..<4 {
      let stray = URL(filePath: fruit.path).appending(path: "artifacts/ab")
      try FileManager.default.createDirectory(at: stray, withIntermediateDirectories: true)
      try Data(count: 1000).write(
        to: stray.appending(path: String(repeating: "\(number)", count: 62)))
      try await kill(arguments, store: fruit.path, after: .milliseconds(3 + 4 * number))
      let run = await fruit.run("verify", "--read-data")
      #expect(run.code == .done, "\(run.error)")
      #expect(try await fruit.run("ls", "--json").json()[0] != nil)
    }
    #expect(await fruit.run("sweep", "--older-than", "0h").code == .done)
    #expect(
      try FileManager.default.contentsOfDirectory(
        atPath: fruit.path + "/incoming"
      ).isEmpty)
  }

  @Test func `G3: stores whose making was killed leave nothing once one is made`() async throws {
    let folder = try TemporaryFolder()
    for number in 0..<6 {
      let process = try KeepsakeProcess(
        "new", "x", store: folder.path("Chats.keepsake"))
      try await Task.sleep(for: .milliseconds(2 + 2 * number))
      process.kill()
      _ = try await process.end()
      #expect(try hidden(folder).count <= 1)
    }
    _ = try HiddenFolder(in: Directory(path: folder.url.path))
    #expect(await CommandRun("new", "--store", folder.path("Other.keepsake"), "x").code == .done)
    #expect(try hidden(folder).isEmpty)
    if FileManager.default.fileExists(atPath: folder.path("Chats.keepsake")) {
      #expect(await CommandRun("verify", "--store", folder.path("Chats.keepsake")).code == .done)
    }
  }
}
