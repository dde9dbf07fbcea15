#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// A foreign file that is read in parts, without being held in memory; or bytes that are in memory anyway.
final class ForeignFile: Sendable {
  /// As it was named, folders and all.
  let name: String
  /// Its name without the folders.
  let lastName: String
  let size: Int64
  /// Whether somebody may be writing to it: then only the lines count that are at their end, and what comes behind them
  /// meanwhile is no fault.
  let isGrowing: Bool
  /// What is known of the beginnings of files, where they are followed while they grow.
  let followed: FollowedHashes?
  /// When its bytes last changed, in nanoseconds since 1970, where that is known.
  let modified: Int64?
  /// Is told how far an import of it is, from 0 to 1.
  let progress: (@Sendable (Double) -> Void)?
  /// The files that lie with it; nil for what lies nowhere.
  let assets: AssetFolder?
  /// How it stands where it lies; nil for what lies nowhere, or only until it is imported.
  let standing: FileStanding?
  private let content: Content

  private enum Content: Sendable {
    case file(OpenFile, FileStatus)
    case bytes([UInt8])
    case ranges(@Sendable (Range<Int64>) throws -> [UInt8])
  }

  /// A descriptor that is shared, and closed by the last who lets go of it.
  private final class OpenFile: Sendable {
    let descriptor: FileDescriptor

    init(path: String) throws(FileError) { descriptor = try OutsideFile.open(path) }
  }

  /// Opens a file that the user named.
  /// - Parameters:
  ///   - path: Where it is.
  ///   - name: What the user calls it; nil where that is its path.
  ///   - lastName: What the store is told that it is called; nil for its name without the folders.
  ///   - isPassing: Whether it lies there only until it is imported.
  ///   - isGrowing: Whether somebody may be writing lines to it.
  ///   - followed: What is known of the beginnings of files that are followed.
  ///   - progress: Is told how far an import of it is, from 0 to 1.
  init(
    path: String, name: String? = nil, lastName: String? = nil, isPassing: Bool = false,
    isGrowing: Bool = false, followed: FollowedHashes? = nil,
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
      // What comes behind its last line would not be looked at any more.
      if standing?.size != size { standing?.isRemembered = false }
      self.standing = standing
      content = .file(file, status)
    } catch let error as FileError {
      throw FormatError.reading(error)
    }
  }

  /// - Parameters:
  ///   - bytes: All of it.
  ///   - name: What it is called.
  ///   - assets: The files that lie with the one that it is a part of.
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

  /// Bytes that lie in no file, and are read when they are asked for.
  /// - Parameters:
  ///   - size: How many there are.
  ///   - name: What they are called.
  ///   - standing: How they are remembered.
  ///   - followed: What is known of the beginnings of what is followed.
  ///   - read: Gives the bytes of a range.
  init(
    size: Int64, name: String, standing: FileStanding, followed: FollowedHashes,
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

  /// The end of the last line that is at its end, its break included; 0 where there is none.
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
      // Exactly as much as is needed: a record may be as large as memory allows.
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

  /// Throws when somebody wrote to it since it was opened.
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
