#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// A file in `incoming/` that is removed with this object unless a transaction moves it.
final class IncomingFile: Sendable {
  let name: String
  private let folder: Directory

  init(name: String, in folder: Directory) {
    self.name = name
    self.folder = folder
  }

  /// Returns a file name that tells which open store writes the file, so that a sweep knows whether it is abandoned.
  static func newName(owner: UUID) -> String {
    "\(owner.uuidString).\(Entry.newID().uuidString)".lowercased()
  }

  /// Returns the id of the open store that wrote a file of this name.
  static func owner(ofName name: String) -> UUID? {
    name.firstIndex(of: ".").flatMap { UUID(uuidString: String(name[..<$0])) }
  }

  deinit {
    // Usually the file was renamed into place. If removing fails, the next sweep removes the file.
    try? folder.unlink(name)
  }

  /// Moves the file to its place among the artifacts; does nothing when a transaction that runs again has moved it already.
  func move(to shard: Directory, as target: String) throws {
    do {
      try folder.rename(name, to: shard, as: target)
    } catch let error where error.code == .notFound {
      guard try shard.status(target) != nil else { throw error }
    }
  }

  /// Moves the file back to `incoming/`.
  func moveBack(from shard: Directory, as target: String) throws {
    try shard.rename(target, to: folder, as: name)
  }
}
