#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeArchive
import KeepsakeFiles
import Keepsake

/// The files that a named file gives an import: the file itself, its decompressed content, or the files of an
/// archive.
///
/// Unpacked files lie in a temporary folder, in the folders that they have in the archive, until `remove()` is
/// called.
package final class ImportFiles: Sendable {
  /// A file to be read.
  struct One: Sendable {
    let path: String
    /// The name for a person, such as `export.zip/conversations.json`.
    let name: String
    /// The file's name without folders, and without the ending that compression added.
    let lastName: String
    let size: Int64
  }

  /// The named file, as the person calls it.
  package let name: String
  /// Whether the named file is an archive. Not every file in an archive has to be a conversation.
  package let isArchive: Bool
  let files: [One]
  /// The files of an archive that could not be unpacked.
  let refused: [ImportReport.Skipped]
  let isUnpacked: Bool
  private let folder: UnpackedFolder?

  /// The part of an import's progress that unpacking takes.
  static let unpackingShare = 0.2

  /// Detects whether a file is packed, and unpacks it.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - name: The person's name for the file; nil for its path.
  ///   - place: The folder for unpacked files; nil for the system's temporary folder.
  ///   - progress: Is told how far the unpacking is.
  /// - Throws: ``FormatError``, when the file can't be read or unpacked.
  package convenience init(
    at path: String, as name: String? = nil, in place: String? = nil,
    progress: ImportProgress? = nil
  ) throws {
    try self.init(
      at: path, as: name, in: place, limits: UnpackingLimits(), progress: progress)
  }

  init(
    at path: String, as name: String?, in place: String?, limits: UnpackingLimits,
    progress: ImportProgress?
  ) throws {
    let name = name ?? path
    self.name = name
    let file = try ForeignFile(path: path)
    let head = try file.read(0..<min(file.size, Int64(Packing.headSize)))
    guard let packing = Packing(head: head) else {
      files = [One(path: path, name: name, lastName: file.lastName, size: file.size)]
      (refused, isArchive, isUnpacked, folder) = ([], false, false, nil)
      return
    }
    let lastName = Self.withoutEnding(file.lastName)
    let unpacked = try FormatError.unpacking(name) {
      let opened = try OutsideFile.open(path)
      let place = try Directory(path: place ?? FileManager.default.temporaryDirectory.path)
      return try UnpackedFolder(
        opened, packing, in: place, named: packing == .zip ? "" : Self.contentName, limits: limits
      ) { position in
        try Task.checkCancellation()
        progress?.reach(Self.unpackingShare * Double(position) / Double(max(1, file.size)))
      }
    }
    do { try file.requireUnchanged() } catch {
      unpacked.remove()
      throw error
    }
    isArchive = packing == .zip
    isUnpacked = true
    folder = unpacked
    refused = unpacked.refused.map { refused in
      .init(
        path: refused.name.map { $0.isEmpty ? name : "\(name)/\($0)" } ?? name,
        reason: refused.reason)
    }
    files =
      packing == .zip
      ? Self.members(unpacked.files, of: name)
      : unpacked.files.map { One(path: $0.path, name: name, lastName: lastName, size: $0.size) }
  }

  /// Removes the unpacked files.
  package func remove() { folder?.remove() }

  /// The name of a decompressed file on the disk, where the file's own name may be too long.
  private static let contentName = "content"

  /// The files of an archive that are tried: all except hidden ones and those of stores, as in a folder.
  private static func members(_ files: [UnpackedFolder.File], of name: String) -> [One] {
    files.compactMap { file in
      guard let last = file.names.last, !file.names.contains(where: { $0.hasPrefix(".") }),
        !file.names.dropLast().contains(where: { $0.hasSuffix(".keepsake") })
      else { return nil }
      return One(
        path: file.path, name: "\(name)/\(file.names.joined(separator: "/"))", lastName: last,
        size: file.size)
    }
  }

  /// A name without the ending that a compressing program adds.
  static func withoutEnding(_ name: String) -> String {
    for ending in [".gz", ".zst", ".zstd"]
    where name.lowercased().hasSuffix(ending) && name.utf8.count > ending.utf8.count {
      return String(name.dropLast(ending.count))
    }
    return name
  }
}

extension ImportFiles {
  /// Opens one of the files.
  /// - Throws: ``FormatError``, when the file can't be read, or is packed inside of a packed file.
  func open(_ one: One, _ progress: (@Sendable (Double) -> Void)? = nil) throws -> ForeignFile {
    let file = try ForeignFile(
      path: one.path, name: one.name, lastName: one.lastName, isPassing: isUnpacked,
      progress: progress)
    guard isUnpacked, let inner = try innerPacking(file) else { return file }
    throw FormatError(
      .unsupported,
      "Can't import '\(one.name)': it is \(inner) inside of another file. Unpack it, and import what is in it.",
      file: one.name)
  }

  /// A phrase for the way in which an unpacked file is packed itself; nil where it is not packed.
  ///
  /// In an archive, an office document is not treated as packed, although it is an archive inside.
  private func innerPacking(_ file: ForeignFile) throws -> String? {
    let type = try Self.type(of: file)
    if isArchive, type.essence.hasSuffix("+zip") || type.essence.hasPrefix(Self.office) {
      return nil
    }
    if let packing = try Packing(head: file.read(0..<min(file.size, Int64(Packing.headSize)))) {
      return packing.title
    }
    return Self.otherPackings.contains(type) ? "packed (\(type))" : nil
  }

  private static let office = "application/vnd.openxmlformats-officedocument."
  private static let otherPackings: Set<MediaType> = [
    "application/x-xz", "application/x-lz4", "application/x-bzip2", "application/x-7z-compressed",
    "application/vnd.rar",
  ]

  private static func type(of file: ForeignFile) throws -> MediaType {
    let head = try file.read(0..<min(file.size, Int64(MediaType.sniffedLength)))
    return MediaType.sniff(head: head, size: file.size)
  }

  /// Returns whether a file of an archive only accompanies conversations, such as an image, a page, or a file of no known
  /// format.
  func isAsset(_ file: ForeignFile) throws -> Bool {
    guard isArchive else { return false }
    if try Self.isMedia(file) { return true }
    let head = try FileHead(file)
    guard let format = Codecs.format(of: head)?.format else { return !head.isTar }
    return format.canWrite && !format.canRead
  }

  /// Returns whether a file is an image, a sound, a video or a PDF.
  ///
  /// Only its first bytes are read, because an export may have ten thousand such files.
  private static func isMedia(_ file: ForeignFile) throws -> Bool {
    let type = try type(of: file)
    return type.isImage || type.isAudio || type.isVideo || type == .pdf
  }

  /// Returns whether the named file is a single image, sound, video or PDF, and no conversation.
  package func isMedia() throws -> Bool {
    guard !isArchive, let one = files.first else { return false }
    return try Self.isMedia(open(one))
  }

  /// The error for a file or an archive from which nothing was imported.
  /// - Parameters:
  ///   - skipped: The files that could not be imported, with reasons.
  ///   - error: The first error of reading one of the files.
  func nothingFound(_ skipped: [ImportReport.Skipped], _ error: FormatError?) -> FormatError {
    guard let first = skipped.first else {
      let reason =
        files.isEmpty
        ? "there is nothing in it" : "none of its files is of a format that is known here"
      return FormatError(.unrecognised, "Can't import '\(name)': \(reason).", file: name)
    }
    let path = first.path ?? name
    let isSaid = first.reason.contains("'\(path)'")
    let others = skipped.count - 1
    return FormatError(
      error?.code ?? .malformed,
      (isSaid ? first.reason : "Can't import '\(path)'. \(first.reason)")
        + (others == 0 ? "" : " Nothing else in '\(name)' could be read either."),
      file: name, cause: error)
  }

  /// Refuses files that can't be imported, before a store is created for them. Files of foreign formats are read to
  /// their end.
  /// - Parameter format: The name of the files' format; nil to detect it from their contents.
  /// - Throws: ``FormatError``, when none of the files can be imported.
  package func requireReadable(as format: String?) throws {
    var skipped = refused
    var first: FormatError?
    for one in files {
      do {
        let file = try open(one)
        if try format == nil && isAsset(file) { continue }
        let codec = try format.map(Codecs.named) ?? Codecs.recognised(file)
        return try codec.requireReadable(file)
      } catch let error as FormatError where isArchive {
        first = first ?? error
        skipped.append(.init(path: one.name, reason: error.message))
      }
    }
    throw nothingFound(skipped, first)
  }
}
