package import KeepsakeFiles

/// The unpacked content of a file, in a temporary folder that is deleted with this object.
package final class UnpackedFolder: Sendable {
  /// An unpacked file.
  package struct File: Sendable, Hashable {
    /// The path of the file on the disk.
    package let path: String
    /// The components of the file's path in the archive; for a compressed file the given name.
    package let names: [String]
    package let size: Int64
  }

  /// A member that was not unpacked.
  package struct Refused: Sendable, Hashable {
    /// The member's path as the archive states it; nil for members after a damaged place, whose names are unknown.
    package let name: String?
    /// The reason, as a sentence.
    package let reason: String
  }

  /// The unpacked files, sorted by their names.
  package let files: [File]
  /// The members that were not unpacked.
  package let refused: [Refused]
  private let folder: PassingFolder

  /// Unpacks a file. Members of an archive that are damaged or dangerous are left out, and listed in ``refused``.
  ///
  /// The call blocks until everything is unpacked. When it throws, nothing is left behind.
  /// - Parameters:
  ///   - file: An open file, whose position is at its start.
  ///   - packing: The way in which the file is packed.
  ///   - place: The folder in which the temporary folder is made.
  ///   - name: The name for the content of a compressed file.
  ///   - limits: The limits of the content.
  ///   - step: Is told many times how many bytes of the file were read; what it throws ends the unpacking.
  /// - Throws: `ArchiveError`, when the file can't be unpacked; `FileError`, when a file can't be written.
  package init(
    _ file: consuming FileDescriptor, _ packing: Packing, in place: Directory, named name: String,
    limits: UnpackingLimits = UnpackingLimits(), step: (Int64) throws -> Void = { _ in }
  ) throws {
    folder = try PassingFolder(in: place)
    let size = try file.size
    do {
      let reader = try ArchiveReader(file, packing)
      var unpacking = Unpacking(reader, into: folder.folder, packed: size, limits)
      try packing == .zip ? unpacking.takeAll(step) : unpacking.takeContent(name, step)
      files = unpacking.files.sorted { $0.names.lexicographicallyPrecedes($1.names) }
      refused = unpacking.refused
    } catch {
      folder.remove()
      throw error
    }
  }

  /// Removes the unpacked files.
  package func remove() { folder.remove() }
}
