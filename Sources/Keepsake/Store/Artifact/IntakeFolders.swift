#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles

/// The folders from which files that a tool or a model named may be taken in.
///
/// A path in a transcript is evidence and never opened on its own; this type opens a path explicitly. It opens only a regular
/// file inside one of the folders, on a real file system, up to a size limit, and it follows no links.
///
/// ```swift
/// let folders = try IntakeFolders([.temporaryDirectory])
/// try await session.attach(.init(try folders.source(named: path), madeBy: .toolCall(call)))
/// ```
public struct IntakeFolders: Sendable {
  let roots: AllowedRoots

  /// Opens the folders; a folder behind a link, such as `/tmp`, is then allowed under both of its paths.
  ///
  /// - Parameter folders: The folders, as file URLs.
  /// - Throws: A ``KeepsakeError`` if a folder can't be opened.
  public init(_ folders: [URL]) throws {
    let paths = try folders.map(FilePlace.path(of:))
    do {
      roots = try AllowedRoots(paths)
    } catch { throw KeepsakeError.intake(error) }
  }

  /// Opens a file that a tool named: by an absolute path, or a `file:` URL with or without percent-encoding.
  ///
  /// The file is opened at once, so that nobody can put another file in its place. It is read only when the source is attached,
  /// which fails if the file has changed meanwhile.
  /// - Parameters:
  ///   - name: The path or URL.
  ///   - maximumSize: The largest size in bytes that is accepted.
  /// - Returns: A source with the file's bytes.
  /// - Throws: A ``KeepsakeError`` if the name leads out of the folders, or to nothing that may be taken in.
  public func source(named name: String, maximumSize: Int64 = 1 << 30) throws -> ArtifactSource {
    let spellings = try Self.spellings(of: name)
    var first: FileError?
    for path in spellings {
      do {
        let file = try OutsideFile.open(path, in: roots, maximumSize: maximumSize)
        return ArtifactSource(origin: .descriptor(OpenedFile(file, limit: maximumSize)))
      } catch {
        if first == nil { first = error }
        // The next spelling is tried only if no file has this one.
        guard error.code == .notFound else { break }
      }
    }
    throw first.map(KeepsakeError.intake) ?? KeepsakeError.unnamed(name)
  }

  /// Returns the paths that a name may stand for, the likeliest first; percent-encoding is decoded once, never twice.
  static func spellings(of name: String) throws -> [String] {
    guard let scheme = scheme(of: name) else {
      guard name.hasPrefix("/") else { throw KeepsakeError.unnamed(name) }
      let decoded = decode(name)
      return decoded == nil || decoded == name ? [name] : [name, decoded ?? name]
    }
    guard scheme == "file" else {
      throw KeepsakeError(
        .refused,
        scheme == "data"
          ? "Can't take in a data URL as a file: attach it as base64."
          : "Can't take in '\(name)': it is somewhere else, and nothing is ever fetched. Download it, and attach its bytes.",
        object: name)
    }
    var path = name.dropFirst("file:".count)
    if path.hasPrefix("//") {
      path = path.dropFirst(2)
      let host = path.prefix { $0 != "/" }
      guard host.isEmpty || host.lowercased() == "localhost" else {
        throw KeepsakeError(
          .refused, "Can't take in '\(name)': it is on another machine. Copy it to this one.",
          object: name)
      }
      path = path.dropFirst(host.count)
    }
    guard path.hasPrefix("/") else { throw KeepsakeError.unnamed(name) }
    // The text after `?` or `#` is no part of a URL's path, but tools paste paths into URLs as they are.
    let strict = path.prefix { $0 != "?" && $0 != "#" }
    var spellings: [String] = []
    for candidate in [decode(String(strict)), decode(String(path)), String(path)] {
      if let candidate, !spellings.contains(where: { $0.isSameText(as: candidate) }) {
        spellings.append(candidate)
      }
    }
    return spellings
  }

  /// Returns the scheme of a URL in lower case; a single letter is a drive and not a scheme.
  private static func scheme(of name: String) -> String? {
    guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = name[..<colon]
    guard scheme.utf8.count > 1, let first = scheme.utf8.first, first.isLetter,
      scheme.utf8.allSatisfy({ $0.isLetter || $0.isASCIIDigit || "+-.".utf8.contains($0) })
    else { return nil }
    return scheme.lowercased()
  }

  /// Decodes percent-encoding; nil if the text is malformed, not UTF-8, or contains a NUL.
  private static func decode(_ text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst()?.hexValue, let low = rest.popFirst()?.hexValue else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    guard !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension KeepsakeError {
  static func intake(_ error: FileError) -> KeepsakeError {
    var code = file(error, store: error.path).code
    if error.code == .invalid { code = .invalid }
    return KeepsakeError(
      code, error.message, remedy: error.remedy, object: error.path, cause: error)
  }

  fileprivate static func unnamed(_ name: String) -> KeepsakeError {
    KeepsakeError(
      .invalid,
      "Can't take in '\(name)': it is not an absolute path and not a file URL. Give the whole path.",
      object: name)
  }
}

extension UInt8 {
  fileprivate var isLetter: Bool { asciiLowercased &- UInt8(ascii: "a") < 26 }
}
