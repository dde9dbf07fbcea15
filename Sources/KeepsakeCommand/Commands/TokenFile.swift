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
      if let token = try read() { return token }
      return try make()
    } catch {
      throw CommandError(message: "Can't use '\(path)' for the token: \(error.message)")
    }
  }

  /// The first line of the file; nil where there is no file.
  private func read() throws(FileError) -> String? {
    let (folder, name) = try place()
    guard try folder.status(name) != nil else { return nil }
    let file = try folder.openFile(name)
    guard try file.status().mode & 0o077 == 0 else {
      throw FileError(
        code: .permissionDenied,
        message: "others may read it. Take that right away: chmod 600 '\(path)'",
        path: path)
    }
    let bytes = try file.readAll(limit: 4096)
    guard let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first else {
      throw FileError(
        code: .invalid, message: "it is empty. Delete it, and one with a token is made.", path: path
      )
    }
    return String(line)
  }

  private func make() throws(FileError) -> String {
    let (folder, name) = try place()
    let token = StoreServer.newToken()
    try folder.createDurably(name, contents: Array((token + "\n").utf8))
    return token
  }

  private func place() throws(FileError) -> (folder: Directory, name: String) {
    let url = URL(filePath: path).absoluteURL
    return (try Directory(path: url.deletingLastPathComponent().path), url.lastPathComponent)
  }
}
