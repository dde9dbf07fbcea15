#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Bytes that are hashed and, where they are large, already on the disk; a write transaction makes them an artifact.
struct PreparedArtifact: Sendable {
  let digest: SHA256Digest
  let size: Int64
  let sniffedType: MediaType
  let pixelSize: PixelSize?
  let content: Content

  enum Content: Sendable {
    /// Small: the bytes go into the database.
    case row([UInt8])
    /// Large: a synced file that waits to be renamed into place.
    case file(IncomingFile)
    /// The store holds them already.
    case known
  }

  /// What it adds to a transaction.
  var inlineSize: Int {
    if case .row(let bytes) = content { bytes.count } else { 0 }
  }
}

/// The store held the bytes when they were prepared, and another process removed them since: prepare them again.
struct ArtifactVanished: Error {}

/// A file in `incoming/` that is removed again unless a transaction takes it.
final class IncomingFile: Sendable {
  let name: String
  private let folder: Directory

  init(name: String, in folder: Directory) {
    self.name = name
    self.folder = folder
  }

  /// A name that says which open store writes the file, so that a sweep knows whether anybody still does.
  static func newName(owner: UUID) -> String {
    "\(owner.uuidString).\(Entry.newID().uuidString)".lowercased()
  }

  /// The open store that wrote a file of this name.
  static func owner(ofName name: String) -> UUID? {
    name.firstIndex(of: ".").flatMap { UUID(uuidString: String(name[..<$0])) }
  }

  deinit {
    // Usually it is gone, renamed into place. What a failure leaves here, the next sweep removes.
    try? folder.unlink(name)
  }

  /// Moves it to where artifacts are. Done once; a transaction that runs again finds it done.
  func move(to shard: Directory, as target: String) throws {
    do {
      try folder.rename(name, to: shard, as: target)
    } catch let error where error.code == .notFound {
      guard try shard.status(target) != nil else { throw error }
    }
  }

  /// Undoes a move.
  func moveBack(from shard: Directory, as target: String) throws {
    try shard.rename(target, to: folder, as: name)
  }
}
