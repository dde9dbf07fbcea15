#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import KeepsakeFiles

/// A file in an allowed folder, opened so that nobody can put another file in its place.
package struct IntakeFile: Sendable {
  private let file: OpenedFile
  package let size: Int64
  /// The time at which the bytes last changed.
  package let modified: Date

  fileprivate init(_ file: consuming FileDescriptor, limit: Int64) throws(FileError) {
    let status = try file.status()
    size = status.size
    modified = Date(timeIntervalSince1970: Double(status.modified) / 1e9)
    self.file = OpenedFile(file, limit: limit)
  }

  /// A source with the file's bytes, to be attached.
  package var source: ArtifactSource { ArtifactSource(origin: .descriptor(file)) }

  /// Computes the digest of the file, which reads all of its bytes.
  package func digest() throws -> SHA256Digest { try file.use { try Ingest.hash($0).digest } }
}

extension IntakeFolders {
  /// Returns whether a path leads into one of the folders by its text alone, without a look at the disk.
  package func contains(_ path: String) -> Bool { roots.contains(path) }

  /// Opens the file at an absolute path; nil if the path leads out of the folders or to no file.
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
