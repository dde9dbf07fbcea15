import Foundation
import Keepsake
import Testing

@Suite("Verifying artifacts")
struct VerifyArtifactsTests {
  private func file(in store: URL) throws -> URL {
    let root = store.appending(path: "artifacts")
    let shard = try #require(
      try FileManager.default.contentsOfDirectory(at: root, includingPropertiesForKeys: nil).first)
    return try #require(
      try FileManager.default.contentsOfDirectory(at: shard, includingPropertiesForKeys: nil).first)
  }

  private func replace(_ file: URL, with bytes: Data) throws {
    try FileManager.default.removeItem(at: file)
    try bytes.write(to: file)
  }

  @Test func `a file that is gone or of another size is damage`() async throws {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    let gone = try made.copy()
    try FileManager.default.removeItem(at: file(in: gone))
    let short = try made.copy()
    try replace(file(in: short), with: Data(repeating: 7, count: 149_999))
    for store in [gone, short] {
      let report = try await TamperTests.verify(store)
      #expect(report.findings.map(\.severity) == [.damaged], "\(report.findings)")
      #expect(report.findings.first?.object.hasPrefix("sha256:") == true)
    }
  }

  @Test func `altered bytes are found when they are read, in files and in rows`() async throws {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    let altered = try made.copy()
    try replace(file(in: altered), with: Data(repeating: 8, count: 150_000))
    let row = try made.copy(
      "UPDATE blob SET bytes = CAST(upper(bytes) AS BLOB) WHERE number = 1")
    for store in [altered, row] {
      #expect(try await TamperTests.verify(store).findings == [])
      let report = try await TamperTests.verify(store, .init(readData: true))
      #expect(report.findings.map(\.severity) == [.damaged], "\(report.findings)")
    }
  }

  @Test func `bytes of a row that are gone are damage`() async throws {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    let report = try await TamperTests.verify(made.copy("DELETE FROM blob WHERE number = 1"))
    #expect(report.findings.map(\.severity) == [.damaged])
  }

  @Test func `files that no artifact is kept in are harmless`() async throws {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    let root = made.path.appending(path: "artifacts")
    let shard = root.appending(path: "ab")
    try FileManager.default.createDirectory(at: shard, withIntermediateDirectories: true)
    try Data().write(to: shard.appending(path: String(repeating: "c", count: 62)))
    try Data().write(to: shard.appending(path: "stranger"))
    try Data().write(to: root.appending(path: "stranger"))
    let report = try await TamperTests.verify(made.path, .init(readData: true))
    #expect(report.findings.map(\.severity) == [.harmless, .harmless, .harmless])
    #expect(report.isSound)
  }
}
