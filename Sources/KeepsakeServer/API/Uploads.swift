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
  /// The time after which an upload that nobody goes on with is given up.
  static let patience = Duration.seconds(24 * 3600)

  /// The most uploads that are kept while nobody sends more of them. Of more the oldest is given up.
  static let most = 64

  private struct State {
    /// The folder for what has come; nil until something comes.
    var folder: PassingFolder?
    /// The artifacts that are being sent at the moment.
    var busy: Set<Artifact.ID> = []
    /// The artifacts of which a part has come, and when the last of it came.
    var parts: [Artifact.ID: Instant] = [:]
    var isClosed = false
  }

  private let store: Store
  private let state = Locked(State())

  init(_ store: Store) { self.store = store }

  /// The folder, which is made beside the store, where there is room for what the store is to hold.
  ///
  /// What a killed server left there is removed by the next one.
  private func opened() throws -> Directory {
    if let folder = state.withLock({ $0.folder }) { return folder.folder }
    let folder: PassingFolder
    do throws(FileError) {
      folder = try PassingFolder(in: Directory(path: store.url.path + "/.."))
    } catch {
      guard [.permissionDenied, .readOnly].contains(error.code) else { throw error }
      folder = try PassingFolder(in: Directory(path: FileManager.default.temporaryDirectory.path))
    }
    return try state.withLock { state in
      guard !state.isClosed else {
        throw Problem(status: 503, code: "stopping", detail: "The server stops.")
      }
      let first = state.folder ?? folder
      state.folder = first
      return first.folder
    }
  }

  /// Removes what has come of uploads that were not finished.
  func close() {
    let folder = state.withLock { state in
      state.isClosed = true
      defer { state.folder = nil }
      return state.folder
    }
    folder?.remove()
  }

  /// The number of bytes of an artifact that have come.
  func offset(of id: Artifact.ID) -> Int64 {
    let folder = state.withLock { $0.folder }
    return (try? folder?.folder.status(id.digest.hex))?.size ?? 0
  }

  /// Takes a body, or a part of one that begins where the last one ended, and makes an artifact of it when all is there.
  ///
  /// - Parameters:
  ///   - body: The bytes.
  ///   - id: The name that the whole must have.
  ///   - part: The place of the bytes in the whole; nil where they are the whole.
  /// - Returns: Whether all is there, and durable.
  func take(_ body: HTTPBodyStream, as id: Artifact.ID, _ part: UploadPart?) async throws -> Bool {
    let isFree = state.withLock { $0.busy.insert(id).inserted }
    guard isFree else {
      throw Problem(
        status: 409, code: "conflict",
        detail: "Somebody sends this artifact at the moment. Ask again later.",
        fields: ["Retry-After": "5"])
    }
    defer { state.withLock { _ = $0.busy.remove(id) } }
    let folder = try opened()
    giveUp(olderThan: Self.patience, in: folder)
    let name = id.digest.hex
    let there = try folder.status(name)?.size ?? 0
    let start = part?.start ?? 0
    guard start == 0 || start == there else {
      throw Problem(
        status: 409, code: "offset", detail: "\(there) bytes have come. Go on from there.",
        fields: ["Upload-Offset": "\(there)"])
    }
    if start == 0, there > 0 { try forget(id, in: folder) }
    let total = part?.total ?? body.length
    do {
      try Self.write(body, to: name, at: start, in: folder)
    } catch {
      // What has come is kept where it is worth going on from there, and goes where the disk is full.
      let isCut = error is HTTPRefusal
      if isCut, total >= Self.resumableSize { note(id) } else { try? forget(id, in: folder) }
      throw error
    }
    guard start + body.length >= total else {
      note(id)
      return false
    }
    defer { try? forget(id, in: folder) }
    do {
      _ = try await store.take(.file(URL(filePath: folder.path(of: name))), as: id)
    } catch let error as KeepsakeError where error.code == .invalid {
      throw Problem(
        status: 422, code: "digest",
        detail: "\(error.message) Nothing of them was kept: send the right ones.")
    }
    return true
  }

  /// Notes that more of an upload came.
  private func note(_ id: Artifact.ID) {
    state.withLock { $0.parts[id] = Instant.now }
  }

  private func forget(_ id: Artifact.ID, in folder: Directory) throws {
    state.withLock { _ = $0.parts.removeValue(forKey: id) }
    try folder.unlink(id.digest.hex)
  }

  /// Removes what has come of uploads that nobody went on with for a time, and of the oldest where there are too many.
  func giveUp(olderThan age: Duration, in folder: Directory? = nil) {
    state.withLock { state in
      let idle = state.parts.filter { !state.busy.contains($0.key) }.sorted { $0.value < $1.value }
      let excess = max(0, idle.count - Self.most)
      let place = folder ?? state.folder?.folder
      for (index, part) in idle.enumerated()
      where index < excess || part.value.advanced(by: age) <= Instant.now {
        state.parts[part.key] = nil
        // Under the lock, so that nobody begins to go on with it meanwhile.
        try? place?.unlink(part.key.digest.hex)
      }
    }
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
