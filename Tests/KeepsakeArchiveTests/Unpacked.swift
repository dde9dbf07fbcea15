import Foundation
import KeepsakeArchive
import KeepsakeFiles
import KeepsakeTestSupport
import Testing

/// A folder in which a test unpacks something, removed with the test.
final class Place: Sendable {
  let url: URL
  let folder: Directory

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(
      path: "keepsake-archive-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try FileManager.default.createDirectory(
      at: url.appending(path: "unpacked"), withIntermediateDirectories: true)
    folder = try Directory(path: url.appending(path: "unpacked").path)
  }

  deinit { _ = try? FileManager.default.removeItem(at: url) }

  /// Unpacks bytes; what is in the folder beside is what they left outside of theirs.
  func unpack(
    _ bytes: [UInt8], limits: UnpackingLimits = UnpackingLimits(),
    step: (Int64) throws -> Void = { _ in }
  ) throws -> UnpackedFolder {
    let file = url.appending(path: "packed")
    try Data(bytes).write(to: file)
    let packing = try #require(Packing(head: bytes))
    return try UnpackedFolder(
      FileDescriptor(opening: file.path), packing, in: folder, named: "content", limits: limits,
      step: step)
  }

  /// What lies beside the file that was unpacked, and in the folder for what is unpacked.
  var left: [String] {
    get throws {
      try folder.names()
        + FileManager.default.contentsOfDirectory(atPath: url.path)
        .filter { $0 != "packed" && $0 != "unpacked" }
    }
  }
}

extension UnpackedFolder {
  /// The paths of the files and what is in them.
  var contents: [String: String] {
    get throws {
      var contents: [String: String] = [:]
      for file in files {
        let bytes = try Data(contentsOf: URL(filePath: file.path))
        #expect(bytes.count == Int(file.size))
        contents[file.names.joined(separator: "/")] = String(decoding: bytes, as: UTF8.self)
      }
      return contents
    }
  }

  /// What was refused, and the first words of why.
  var refusals: [String?] { refused.map(\.name) }
}
