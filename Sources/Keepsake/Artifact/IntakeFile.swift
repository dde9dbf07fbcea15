#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import KeepsakeFiles

/// A file in one of the folders that were allowed, opened so that nobody can put another in its place.
package struct IntakeFile: Sendable {
  private let file: OpenedFile
  package let size: Int64
  /// When its bytes last changed.
  package let modified: Date

  fileprivate init(_ file: consuming FileDescriptor, limit: Int64) throws(FileError) {
    let status = try file.status()
    size = status.size
    modified = Date(timeIntervalSince1970: Double(status.modified) / 1e9)
    self.file = OpenedFile(file, limit: limit)
  }

  /// Its bytes, to be attached.
  package var source: ArtifactSource { ArtifactSource(origin: .descriptor(file)) }

  /// The digest of its bytes. Reads all of them.
  package func digest() throws -> SHA256Digest { try file.use { try Ingest.hash($0).digest } }
}

extension IntakeFolders {
  /// Whether a path leads into one of the folders, as far as its letters tell.
  package func contains(_ path: String) -> Bool { roots.contains(path) }

  /// The file at an absolute path; nil where the path leads out of the folders, or nowhere.
  package func file(at path: String, maximumSize: Int64 = 1 << 30) throws -> IntakeFile? {
    do {
      let file = try OutsideFile.open(path, in: roots, maximumSize: maximumSize)
      return try IntakeFile(file, limit: maximumSize)
    } catch {
      if [.notFound, .notDirectory, .outsideRoot].contains(error.code) { return nil }
      throw KeepsakeError.intake(error)
    }
  }
}
