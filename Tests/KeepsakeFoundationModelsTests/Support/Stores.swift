import Foundation
import FoundationModels
import KeepsakeTestSupport

@testable import Keepsake

/// A folder of a test's own, removed afterwards.
func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "keepsake-adapter-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  do {
    let result = try await body(folder)
    try FileManager.default.removeItem(at: folder)
    return result
  } catch {
    try FileManager.default.removeItem(at: folder)
    throw error
  }
}

/// A store with a session, verified when the test is over.
func withSession<Result>(
  indexing: Bool = true, _ body: (Session, Store, URL) async throws -> Result
) async throws -> Result {
  try await Slots.shared.run {
    try await withTemporaryFolder { folder in
      var options = Store.Options()
      if !indexing { options.searchDelay = nil }
      let store = try await Store(at: folder.appending(path: "Chats.keepsake"), options: options)
      do {
        let result = try await body(try await store.createSession(title: "Fruit"), store, folder)
        let report = try await store.verify()
        if !report.isSound { throw Unsound(findings: report.findings.map { "\($0)" }) }
        await store.close()
        return result
      } catch {
        await store.close()
        throw error
      }
    }
  }
}

struct Unsound: Error { let findings: [String] }

extension Transcript {
  /// The JSON, in which equal transcripts are equal.
  var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}

extension Session {
  /// Its entries, in short: "prompt: hello".
  func said() async throws -> [String] {
    try await entries.all().map { "\($0.kind.rawValue): \($0.text)" }
  }
}

/// What the verifier in Python says of a store: 0 where it is sound.
func otherVerifierStatus(of store: Store) throws -> Int32 {
  let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  return try ProgramRun(
    "python3", "-B", root.appending(path: "tools/verify-chain.py").path, store.url.path
  ).exitCode
}
