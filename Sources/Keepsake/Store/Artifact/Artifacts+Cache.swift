#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

extension Artifacts {
  /// Copies an artifact into the cache, under a file name that tells people and programs its type.
  ///
  /// A copy is needed because an editor that opens the file must not write into the artifact. An existing copy is used again:
  /// it is hashed the first time in a process, and then trusted while it looks unchanged. A copy that was written to is
  /// replaced.
  func materialise(
    _ artifact: Artifact, as attachment: Entry.Attachment, patience: Duration
  ) throws -> URL {
    do {
      // The folder is not kept open, because people may remove it at any time.
      let cache = try Self.open(StoreLayout.cache, in: layout.folder, create: true)
      let name = CopyName(
        fileName: attachment.fileName, label: attachment.label, declared: attachment.mediaType,
        sniffed: artifact.sniffedType
      ).text
      let folderName = CopyName.folder(artifact.id.digest)
      if let folder = try? cache.subdirectory(folderName, create: false),
        try isRight(name, in: folder, of: artifact)
      {
        return URL(filePath: folder.path + "/" + name)
      }
      // An erasure waits until this copy is complete, so that it finds and deletes the copy.
      let lock = try FileLock(path: layout.sweepLockPath)
      guard try lock.lock(.shared, until: .now.advanced(by: patience)) else {
        throw KeepsakeError(
          .locked,
          "Can't make a file of \(artifact.id): a sweep of the store at '\(layout.path)' is under way. Try again.",
          object: artifact.id.description)
      }
      defer { try? lock.unlock() }
      let folder = try Self.open(folderName, in: cache, create: true)
      // Names of attachments never begin with a dot, so a sweep recognizes the file as left by a crash.
      let temporary = "." + UUID().uuidString
      do {
        try write(artifact, to: temporary, in: folder)
        // The cache belongs to the store, so a foreign folder at this name is removed.
        if try folder.status(name)?.isDirectory == true { try folder.removeTree(name) }
        try folder.rename(temporary, to: folder, as: name)
        if let status = try folder.status(name) {
          checkedCopies.withLock { $0[folderName + "/" + name] = status }
        }
      } catch {
        try? folder.unlink(temporary)
        throw error
      }
      return URL(filePath: folder.path + "/" + name)
    } catch { throw KeepsakeError.wrap(error, store: layout.path) }
  }

  /// Returns whether the copy exists, is read-only, and has the artifact's bytes.
  private func isRight(_ name: String, in folder: Directory, of artifact: Artifact) throws -> Bool {
    guard let status = try folder.status(name), status.isRegular, status.size == artifact.size,
      status.mode & 0o777 == 0o400
    else { return false }
    let key = CopyName.folder(artifact.id.digest) + "/" + name
    if checkedCopies.withLock({ $0[key] }) == status { return true }
    let file = try folder.openFile(name, for: .reading)
    guard try file.status() == status, try Ingest.hash(file).digest == artifact.id.digest else {
      return false
    }
    checkedCopies.withLock { $0[key] = status }
    return true
  }

  /// Returns the name of the folder for an artifact's copies.
  private func write(_ artifact: Artifact, to name: String, in folder: Directory) throws {
    let file = try folder.openFile(name, for: .creating(exclusive: true))
    var pieces = Artifact.Pieces(artifact, size: 1 << 20)
    while let piece = try pieces.next() { try file.write(all: piece) }
    try file.setMode(0o400)
  }
}
