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
  ///   - progress: Is told how far an import of it is, from 0 to 1.
  init(
    path: String, name: String? = nil, lastName: String? = nil, isPassing: Bool = false,
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
      size = status.size
      modified = status.modified
      self.progress = progress
      assets = AssetFolder(beside: path)
      standing = isPassing ? nil : try FileStanding(file.descriptor, at: path)
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
    modified = nil
    standing = nil
    progress = nil
    content = .bytes(bytes)
  }

  private static func lastName(_ name: String) -> String {
    name.split(separator: "/").last.map(String.init) ?? name
  }

  var isInMemory: Bool { if case .bytes = content { true } else { false } }

  /// The bytes of a range that lies inside of the file.
  func read(_ range: Range<Int64>) throws -> [UInt8] {
    switch content {
    case .bytes(let bytes):
      return range.count == bytes.count
        ? bytes : Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
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
      guard now.size == before.size, now.modified == before.modified else {
        throw FormatError.changed(name)
      }
    } catch let error as FileError {
      throw FormatError.reading(error)
    }
  }
}
