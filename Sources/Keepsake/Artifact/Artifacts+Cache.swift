#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Files

extension Artifacts {
  /// Copies an artifact into the cache under a name that tells people and programs what it is.
  ///
  /// A copy, because an editor that opens the file must not write into the artifact. A copy that is there already is
  /// used again while it has the size of the artifact and was not written to.
  func materialise(
    _ artifact: Artifact, as attachment: Entry.Attachment, patience: Duration
  ) throws -> URL {
    do {
      // Not kept open: people may remove it at any time.
      let cache = try Self.open(StoreLayout.cache, in: layout.folder, create: true)
      let name = fileName(of: artifact, as: attachment)
      let folderName = Self.cacheName(artifact.id.digest)
      if let folder = try? cache.subdirectory(folderName, create: false),
        let status = try folder.status(name), status.isRegular, status.size == artifact.size,
        status.mode & 0o777 == 0o400
      {
        return URL(filePath: folder.path + "/" + name)
      }
      // An erasure waits for this copy to be whole, so that it finds it.
      let lock = try FileLock(path: layout.sweepLockPath)
      guard try lock.lock(.shared, until: .now.advanced(by: patience)) else {
        throw KeepsakeError(
          .locked,
          "Can't make a file of \(artifact.id): a sweep of the store at '\(layout.path)' is under way. Try again.",
          object: artifact.id.description)
      }
      defer { try? lock.unlock() }
      let folder = try Self.open(folderName, in: cache, create: true)
      // A beginning that no attachment's file has, so that a sweep knows it for what a crash left.
      let temporary = "." + UUID().uuidString
      do {
        try write(artifact, to: temporary, in: folder)
        try folder.rename(temporary, to: folder, as: name)
      } catch {
        try? folder.unlink(temporary)
        throw error
      }
      return URL(filePath: folder.path + "/" + name)
    } catch { throw KeepsakeError.wrap(error, store: layout.path) }
  }

  /// The folder of an artifact's copies.
  static func cacheName(_ digest: SHA256Digest) -> String { String(digest.hex.prefix(16)) }

  private func write(_ artifact: Artifact, to name: String, in folder: Directory) throws {
    let file = try folder.openFile(name, for: .creating(exclusive: true))
    var offset: Int64 = 0
    while offset < artifact.size {
      let end = min(artifact.size, offset + 1 << 20)
      try file.write(all: artifact.bytes(in: offset..<end))
      offset = end
    }
    try file.setMode(0o400)
  }

  /// The declared name without what a file system or a shell would take amiss, with an extension that fits the bytes.
  private func fileName(of artifact: Artifact, as attachment: Entry.Attachment) -> String {
    let type =
      artifact.sniffedType == .octetStream
      ? attachment.mediaType ?? artifact.sniffedType : artifact.sniffedType
    let declared = attachment.fileName ?? attachment.label
    var stem = ""
    for scalar in declared.unicodeScalars {
      let isPlain =
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        || " -_.".unicodeScalars.contains(scalar)
      stem.unicodeScalars.append(isPlain ? scalar : "_")
    }
    while let first = stem.first, first == "." || first == " " { stem.removeFirst() }
    var wanted = type.fileExtension
    if let dot = stem.lastIndex(of: "."), dot != stem.startIndex {
      let present = String(stem[stem.index(after: dot)...])
      if wanted == nil || MediaType.forFileExtension(present)?.essence == type.essence {
        wanted = present
      }
      stem = String(stem[..<dot])
    }
    while stem.utf8.count > 120 { stem.removeLast() }
    if stem.isEmpty { stem = "artifact" }
    return wanted.map { "\(stem).\($0)" } ?? stem
  }
}
