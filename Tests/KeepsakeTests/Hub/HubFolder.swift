import Foundation
import KeepsakeFiles

@testable import Keepsake

/// A folder for hubs, which goes when the test is over.
final class HubFolder: Sendable {
  let url: URL
  /// The path of the hub.
  var path: String { url.appending(path: "Hub").path }

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(
      path: "hub-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func open(
    _ watch: @escaping @Sendable (FolderStep) throws -> Void = { _ in }
  ) async throws -> FolderHub {
    try await FolderHub.open(at: path, making: true, watch: watch)
  }

  /// Tells whether some file of the hub has some bytes.
  func finds(_ bytes: [UInt8]) throws -> Bool {
    try Self.files(path).contains { name in
      let data = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
      return data.range(of: Data(bytes)) != nil
    }
  }

  /// Copies the hub as a crash leaves it at this moment, and returns the path of the copy.
  func crash() throws -> String {
    let copy = url.appending(path: "crash-\(UUID().uuidString)").path
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    return copy
  }

  /// All files of the hub below a folder, sorted.
  static func files(_ path: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).filter { name in
      var isFolder: ObjCBool = false
      let isThere = FileManager.default.fileExists(
        atPath: "\(path)/\(name)", isDirectory: &isFolder)
      return isThere && !isFolder.boolValue
    }.sorted()
  }
}

extension FolderHub {
  /// Removes what stores left unfinished that ended while they wrote.
  @discardableResult
  func removeLeftovers() async throws -> Abandoned {
    try await leftovers(olderThan: .zero, removing: true)
  }
}
