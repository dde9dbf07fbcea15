public import KeepsakeFiles

/// What was unpacked out of a file, in a folder that goes away when it is removed or let go of.
public final class UnpackedFolder: Sendable {
  /// An unpacked file.
  public struct File: Sendable, Hashable {
    /// Where it is on the disk.
    public let path: String
    /// Its path in the archive, as names; of a compressed file the name that was given.
    public let names: [String]
    public let size: Int64
  }

  /// A member that was not unpacked.
  public struct Refused: Sendable, Hashable {
    /// Its path in the archive, as that says it; nil for what comes behind a damaged place, of which nothing is known.
    public let name: String?
    public let reason: String
  }

  /// In the order of their names.
  public let files: [File]
  public let refused: [Refused]
  private let folder: PassingFolder

  /// Unpacks a file, whole or not at all; what of an archive is damaged or dangerous is left out, and told of.
  ///
  /// It blocks for as long as that takes. When it throws, nothing is left behind.
  /// - Parameters:
  ///   - file: An open file, whose position is at its start.
  ///   - packing: How it is packed.
  ///   - place: The folder in which the other is made.
  ///   - name: What the content of a compressed file is to be called.
  ///   - step: Is told how many bytes of the file were read, many times; what it throws ends it.
  public init(
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

  /// Removes what was unpacked.
  public func remove() { folder.remove() }
}
