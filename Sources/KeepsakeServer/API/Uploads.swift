#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFiles
import KeepsakeHTTP

/// The artifacts that programs are sending: what has come of each is kept, so that an upload that was cut off goes on
/// where it stopped.
final class Uploads: Sendable {
  /// The size from which on an upload that was cut off is kept.
  static let resumableSize: Int64 = 8 << 20

  private let store: Store
  /// The folder for what has come; nil until something comes.
  private let folder = Locked<Directory?>(nil)
  /// The artifacts that are being sent at the moment.
  private let busy = Locked<Set<Artifact.ID>>([])

  init(_ store: Store) { self.store = store }

  /// The folder, which is made among the system's temporary files under a name that nobody can guess.
  private func opened() throws -> Directory {
    try folder.withLock { folder in
      if let folder { return folder }
      let made = try Directory.create(
        path: FileManager.default.temporaryDirectory
          .appending(path: "keepsake-uploads-\(UUID().uuidString.lowercased())").path)
      folder = made
      return made
    }
  }

  /// Removes what has come of uploads that were not finished.
  func close() {
    guard let folder = folder.withLock({ $0 }) else { return }
    try? FileManager.default.removeItem(atPath: folder.path)
  }

  /// The number of bytes of an artifact that have come.
  func offset(of id: Artifact.ID) -> Int64 {
    let folder = folder.withLock { $0 }
    return (try? folder?.status(id.digest.hex))?.size ?? 0
  }

  /// Takes a body, or a part of one that begins where the last one ended, and makes an artifact of it when all is there.
  ///
  /// - Returns: Whether all is there.
  func take(_ body: HTTPBodyStream, as id: Artifact.ID, _ part: Part?) async throws -> Bool {
    guard busy.withLock({ $0.insert(id).inserted }) else {
      throw Problem(
        status: 409, code: "conflict",
        detail: "Somebody sends this artifact at the moment. Ask again later.",
        fields: ["Retry-After": "5"])
    }
    defer { _ = busy.withLock { $0.remove(id) } }
    let folder = try opened()
    let name = id.digest.hex
    let there = try folder.status(name)?.size ?? 0
    let start = part?.start ?? 0
    guard start == 0 || start == there else {
      throw Problem(
        status: 409, code: "offset", detail: "\(there) bytes have come. Go on from there.",
        fields: ["Upload-Offset": "\(there)"])
    }
    if start == 0, there > 0 { try folder.unlink(name) }
    let total = part?.total ?? body.length
    do {
      try Self.write(body, to: name, at: start, in: folder)
    } catch {
      // What has come is kept where it is worth going on from there.
      if total < Self.resumableSize { try? folder.unlink(name) }
      throw error
    }
    guard start + body.length >= total else { return false }
    defer { try? folder.unlink(name) }
    _ = try await store.take(.file(URL(filePath: folder.path(of: name))), as: id)
    return true
  }

  private static func write(
    _ body: HTTPBodyStream, to name: String, at start: Int64, in folder: Directory
  ) throws {
    let file = try folder.openFile(name, for: .creating(exclusive: start == 0))
    var offset = start
    while let piece = try body.next() {
      try file.write(all: piece, at: offset)
      offset += Int64(piece.count)
    }
  }
}

extension Uploads {
  /// The part of an artifact that a body has, from the field `Content-Range: bytes 0-8388607/20000000`.
  struct Part {
    let start: Int64
    let total: Int64

    /// Reads the field; nil where there is none.
    init?(_ head: HTTPRequestHead) throws(Problem) {
      guard let text = head.fields["Content-Range"] else { return nil }
      let words = text.split(whereSeparator: { " -/".contains($0) }).map(String.init)
      guard words.count == 4, words[0] == "bytes", let start = Int64(words[1]),
        let last = Int64(words[2]), let total = Int64(words[3]), start >= 0, start <= last,
        last < total, last - start + 1 == head.contentLength
      else {
        throw .invalid("'Content-Range' is no range that fits the body: bytes 0-8388607/20000000.")
      }
      self.start = start
      self.total = total
    }
  }
}
