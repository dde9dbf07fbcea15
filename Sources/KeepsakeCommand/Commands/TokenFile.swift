#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeServer

/// The file in which a person keeps the token of their server. Only they may read it.
struct TokenFile {
  private let path: String

  init(_ path: String) { self.path = path }

  /// The token in the file, which is made with a new one where it is missing.
  ///
  /// - Throws: A ``CommandError`` where others may read the file, or it has no token.
  func token() throws -> String {
    do throws(FileError) {
      if let line = try read() { return line }
    } catch {
      throw CommandError(message: "Can't use '\(path)' for the token: \(error.message)")
    }
    throw CommandError(
      message:
        "'\(path)' has no token that is a secret: it is empty, or others may read it. Delete it, and one is made."
    )
  }

  /// The first line of the file; nil where it is empty, or others may read it.
  private func read() throws(FileError) -> String? {
    let url = URL(filePath: path).absoluteURL
    let folder = try Directory(path: url.deletingLastPathComponent().path)
    let name = url.lastPathComponent
    guard try folder.status(name) != nil else {
      let token = StoreServer.newToken()
      try folder.createDurably(name, contents: Array((token + "\n").utf8))
      return token
    }
    let file = try folder.openFile(name)
    guard try file.status().mode & 0o077 == 0 else { return nil }
    let bytes = try file.readAll(limit: 4096)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init)
  }
}
