#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeArchive
import KeepsakeFiles
import Keepsake

/// What a file that was named gives an import: itself, what it is when it is decompressed, or the files of an archive.
///
/// What is unpacked lies in a temporary folder, as it does in the archive, until it is removed.
package final class ImportFiles: Sendable {
  /// A file to be read.
  struct One: Sendable {
    let path: String
    /// As a person finds it: `export.zip/conversations.json`.
    let name: String
    /// What it is called without folders, and without what its compression added.
    let lastName: String
    let size: Int64
  }

  /// What was named, as the person calls it.
  package let name: String
  /// Whether it is an archive, of whose files not every one needs to say something.
  package let isArchive: Bool
  let files: [One]
  /// What of an archive could not be unpacked.
  let refused: [ImportReport.Skipped]
  let isUnpacked: Bool
  private let folder: UnpackedFolder?

  /// How much of an import's progress the unpacking is.
  static let unpackingShare = 0.2

  /// Finds out whether a file is packed, and unpacks it.
  /// - Parameters:
  ///   - path: Where the file is.
  ///   - name: What the person calls it; nil where that is its path.
  ///   - place: The folder for what is unpacked; nil for the system's temporary one.
  ///   - progress: Is told how far it is.
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

  /// Removes what was unpacked.
  package func remove() { folder?.remove() }

  /// What a decompressed file is called on the disk; what it is called elsewhere may be too long there.
  private static let contentName = "content"

  /// The files that are tried, as of a folder: all but those that are hidden, and those of stores.
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

  /// A name without what a program that compresses adds to it.
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

  /// What a person calls an unpacked file that is packed itself; nil where it is not. A document that is an archive
  /// inside, as those of word processors are, is no archive to a person.
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

  /// Whether a file of an archive is there for the others: an image, a page, or what else nobody knows as a conversation.
  func isAsset(_ file: ForeignFile) throws -> Bool {
    guard isArchive else { return false }
    if try Self.isMedia(file) { return true }
    let head = try FileHead(file)
    guard let format = Codecs.format(of: head)?.format else { return !head.isTar }
    return format.canWrite && !format.canRead
  }

  /// Whether a file is an image, sound, a film or a PDF. An export may have ten thousand of them, of which the beginning is
  /// enough.
  private static func isMedia(_ file: ForeignFile) throws -> Bool {
    let type = try type(of: file)
    return type.isImage || type.isAudio || type.isVideo || type == .pdf
  }

  /// Whether what was named is a single file that lies with conversations and is none.
  package func isMedia() throws -> Bool {
    guard !isArchive, let one = files.first else { return false }
    return try Self.isMedia(open(one))
  }

  /// What is said of an archive of which nothing was taken.
  /// - Parameters:
  ///   - skipped: What could not be, and why.
  ///   - error: The first error of one that could not be read.
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

  /// Refuses what an import takes nothing of, before there is a store to take it into. Reads foreign files to their end.
  /// - Parameter format: The name of the files' format; nil to go by what their content shows.
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
