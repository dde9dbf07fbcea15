#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// A foreign file that is read in parts, without being held in memory; or bytes that are in memory anyway.
final class ForeignFile: Sendable {
  /// The file's name for a person: its path, or the name that was given for it.
  let name: String
  /// The file's name without folders.
  let lastName: String
  let size: Int64
  /// Whether a program may be appending lines to the file.
  ///
  /// Then the size ends with the last whole line, and it is no fault when the file grows while it is read.
  let isGrowing: Bool
  /// The beginnings of followed files; nil where the file is not followed while it grows.
  let followed: FollowedFiles?
  /// The time when the file last changed, in nanoseconds since 1970; nil where it is not known.
  let modified: Int64?
  /// Is told how far an import of the file is, from 0 to 1.
  let progress: (@Sendable (Double) -> Void)?
  /// The files beside this one; nil for bytes that lie in no folder.
  let assets: AssetFolder?
  /// The file's identity on the disk; nil for bytes in memory, and for a temporary file.
  let standing: FileStanding?
  private let content: Content

  private enum Content: Sendable {
    case file(OpenFile, FileStatus)
    case bytes([UInt8])
    case ranges(@Sendable (Range<Int64>) throws -> [UInt8])
  }

  /// A descriptor that readings share, and that is closed with the last of them.
  private final class OpenFile: Sendable {
    let descriptor: FileDescriptor

    init(path: String) throws(FileError) { descriptor = try OutsideFile.open(path) }
  }

  /// Opens a file that a person named.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - name: The name for a person; nil for the path.
  ///   - lastName: The name that the store keeps; nil for the name without folders.
  ///   - isPassing: Whether the file is temporary.
  ///   - isGrowing: Whether a program may be appending lines to the file.
  ///   - followed: The beginnings of followed files.
  ///   - progress: Is told how far an import of the file is, from 0 to 1.
  init(
    path: String, name: String? = nil, lastName: String? = nil, isPassing: Bool = false,
    isGrowing: Bool = false, followed: FollowedFiles? = nil,
    progress: (@Sendable (Double) -> Void)? = nil
  ) throws {
    do {
      let file = try OpenFile(path: path)
      let status = try file.descriptor.status()
      guard status.isRegular else {
        throw FormatError(
          .unreadable,
          "Can't read '\(path)': it is \(status.isDirectory ? "a folder" : "no regular file"). Name a file.",
          file: path)
      }
      self.name = name ?? path
      self.lastName = lastName ?? Self.lastName(name ?? path)
      self.isGrowing = isGrowing
      self.followed = followed
      size = isGrowing ? try Self.endOfLines(file.descriptor, status.size) : status.size
      modified = status.modified
      self.progress = progress
      assets = AssetFolder(beside: path)
      var standing = isPassing ? nil : try FileStanding(file.descriptor, at: path)
      // A later import must look at an unfinished last line again, so the file is not remembered as read.
      if standing?.size != size { standing?.isRemembered = false }
      self.standing = standing
      content = .file(file, status)
    } catch let error as FileError {
      throw FormatError.reading(error)
    }
  }

  /// Creates a file from bytes in memory.
  /// - Parameters:
  ///   - bytes: All bytes of the file.
  ///   - name: The name for a person.
  ///   - assets: The files beside the file that the bytes come from.
  init(_ bytes: [UInt8], name: String, assets: AssetFolder? = nil) {
    self.name = name
    self.assets = assets
    lastName = Self.lastName(name)
    size = Int64(bytes.count)
    isGrowing = false
    followed = nil
    modified = nil
    standing = nil
    progress = nil
    content = .bytes(bytes)
  }

  /// Creates a file from bytes that lie in no file, and are read when they are needed.
  /// - Parameters:
  ///   - size: The number of bytes.
  ///   - name: The name for a person.
  ///   - standing: The identity under which the bytes are remembered.
  ///   - followed: The beginnings of followed files.
  ///   - read: Returns the bytes of a range.
  init(
    size: Int64, name: String, standing: FileStanding, followed: FollowedFiles,
    read: @escaping @Sendable (Range<Int64>) throws -> [UInt8]
  ) {
    self.name = name
    self.size = size
    self.standing = standing
    self.followed = followed
    lastName = Self.lastName(name)
    assets = nil
    isGrowing = false
    modified = nil
    progress = nil
    content = .ranges(read)
  }

  private static func lastName(_ name: String) -> String {
    name.split(separator: "/").last.map(String.init) ?? name
  }

  /// The offset after the last line break; 0 where there is none.
  private static func endOfLines(_ file: borrowing FileDescriptor, _ size: Int64) throws(FileError)
    -> Int64
  {
    var end = size
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    while end > 0 {
      let start = max(0, end - Int64(bytes.count))
      let count = try file.read(into: &bytes, at: start)
      if let last = bytes[..<min(count, Int(end - start))].lastIndex(of: 0x0A) {
        return start + Int64(last) + 1
      }
      end = start
    }
    return 0
  }

  var isInMemory: Bool { if case .bytes = content { true } else { false } }

  /// The bytes of a range that lies inside of the file.
  func read(_ range: Range<Int64>) throws -> [UInt8] {
    switch content {
    case .bytes(let bytes):
      return range.count == bytes.count
        ? bytes : Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    case .ranges(let read): return try read(range)
    case .file(let file, _):
      // The buffer has exactly the needed size, because a record may fill most of the memory.
      var bytes = [UInt8](repeating: 0, count: range.count)
      do {
        let count = try file.descriptor.read(into: &bytes, at: range.lowerBound)
        guard count == bytes.count else { throw FormatError.changed(name) }
      } catch let error as FileError {
        throw FormatError.reading(error)
      }
      return bytes
    }
  }

  /// Throws where another program wrote to the file since it was opened.
  func requireUnchanged() throws {
    guard case .file(let file, let before) = content else { return }
    do {
      let now = try file.descriptor.status()
      let isSame = now.size == before.size && now.modified == before.modified
      guard isGrowing ? now.size >= before.size : isSame else {
        throw FormatError.changed(name)
      }
    } catch let error as FileError {
      throw FormatError.reading(error)
    }
  }
}
