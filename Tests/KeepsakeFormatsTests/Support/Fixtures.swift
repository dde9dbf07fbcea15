import Foundation
import KeepsakeFiles
import Keepsake
import KeepsakeTestSupport
import Testing

@testable import KeepsakeFormats

/// Where files of foreign formats lie.
enum Fixtures {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The ones that we made.
  static let folder = root.appending(path: "Tests/Fixtures")

  /// Real recordings, which are no part of the project and may be missing.
  static let samples = root.appending(path: "../shared/samples")

  static let apple = ["os26.json", "os27.json", "fm.json"]

  static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appending(path: path)))
  }
}

/// A folder of a test's own, removed afterwards.
func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "keepsake-formats-\(UUID().uuidString)")
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

/// A store in a folder of its own, beside files that are imported into it.
func withStore<Result>(
  options: Store.Options = .init(), _ body: (Store, URL) async throws -> Result
) async throws -> Result {
  try await Slots.shared.run {
    try await withTemporaryFolder { folder in
      let store = try await Store(at: folder.appending(path: "Chats.keepsake"), options: options)
      do {
        let result = try await body(store, folder)
        await store.close()
        return result
      } catch {
        await store.close()
        throw error
      }
    }
  }
}

extension Store {
  /// Imports bytes as a file.
  func importing(_ bytes: [UInt8], in folder: URL, format: String? = nil) async throws
    -> ImportReport
  {
    let file = folder.appending(path: "\(UUID().uuidString).json")
    try Data(bytes).write(to: file)
    return try await importFile(at: file, format: format)
  }
}

extension Session {
  /// What is exported, and what was lost.
  func exported(as format: String, options: ExportOptions = .init()) async throws -> (
    bytes: [UInt8], losses: Losses
  ) {
    let output = Locked<[UInt8]>([])
    let losses = try await export(as: format, options: options) { piece in
      output.withLock { $0 += piece }
    }
    return (output.withLock { $0 }, losses)
  }
}

extension FileCodec {
  /// All records of a file that is in memory.
  static func records(_ bytes: [UInt8]) throws -> [SourceRecord] {
    var reading = try read(ForeignFile(bytes, name: "chat.json"))
    var records: [SourceRecord] = []
    while let record = try reading.next() { records.append(record) }
    return records
  }
}
