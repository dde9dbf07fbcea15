import KeepsakeFiles

/// A file name for a copy of an artifact: safe, readable, and with an extension that programs recognize.
///
/// The file name that a source declares is evidence and may be hostile: it can lead to another folder, hide the file's type,
/// look like an option of a command, or be empty.
package struct CopyName {
  /// The file name, a single path component that is not empty, with a stem of at most ``stemLimit`` bytes.
  package let text: String

  /// Returns the name of the folder in the cache that has the copies of an artifact.
  static func folder(_ digest: SHA256Digest) -> String { String(digest.hex.prefix(16)) }

  /// The most bytes of a stem; file systems take 255 bytes, and the rest is room for longer names of further copies.
  static let stemLimit = 120

  init(fileName: String?, label: String, declared: MediaType?, sniffed: MediaType) {
    let type = Self.type(declared: declared, sniffed: sniffed)
    let given = Parts(fileName ?? "", of: type)
    let stem = [given.stem, Parts(label, of: type).stem].first { !$0.isEmpty } ?? "artifact"
    text = (given.fileExtension ?? type.fileExtension).map { "\(stem).\($0)" } ?? stem
  }

  /// Makes the name for a copy of an attachment's artifact; nil for an attachment without bytes.
  package init?(_ attachment: Entry.Attachment) {
    guard let artifact = attachment.artifact else { return nil }
    self.init(
      fileName: attachment.fileName, label: attachment.label, declared: attachment.mediaType,
      sniffed: artifact.sniffedType)
  }

  /// Makes a file name from a title, without an extension and blanks; nil if nothing usable remains.
  package static func stem(ofTitle title: String) -> String? {
    // A slash in a title does not separate folders.
    let parts = title.split { $0 == "/" || $0 == "\\" || $0.isWhitespace }
    var stem = plain(parts.joined(separator: "-")).replacing("_", with: "-")
    while stem.contains("--") { stem = stem.replacing("--", with: "-") }
    stem = shortened(stem)
    while let last = stem.last, "-.".contains(last) { stem.removeLast() }
    return stem.isEmpty ? nil : stem
  }

  /// Returns the declared type, unless the bytes plainly are of another type, because viewers go by the extension.
  private static func type(declared: MediaType?, sniffed: MediaType) -> MediaType {
    guard let declared, declared.fileExtension != nil, declared.fits(sniffed) else {
      return sniffed
    }
    return declared
  }

  /// The usable parts of a declared file name; the extension only if it fits the type.
  private struct Parts {
    var stem: String
    var fileExtension: String?

    init(_ name: String, of type: MediaType) {
      let plain = CopyName.plain(name)
      stem = plain
      if let dot = plain.lastIndex(of: ".") {
        let last = String(plain[plain.index(after: dot)...])
        if Self.isExtension(last), let known = MediaType.forFileExtension(last) {
          // A false extension is removed; any other unknown ending is a part of the name.
          stem = String(plain[..<dot])
          if known.fits(type) { fileExtension = last }
        } else if Self.isExtension(last), type.isTextual || type == .octetStream {
          stem = String(plain[..<dot])
          fileExtension = last
        }
      }
      stem = CopyName.shortened(CopyName.trimmed(stem))
      if CopyName.isDevice(stem.prefix { $0 != "." }) {
        let end = stem.firstIndex(of: ".") ?? stem.endIndex
        stem.insert("_", at: end)
      }
    }

    private static func isExtension(_ text: String) -> Bool {
      1...16 ~= text.utf8.count
        && text.utf8.allSatisfy { $0.isASCIIDigit || $0.asciiLowercased &- UInt8(ascii: "a") < 26 }
    }
  }
}

// MARK: - Letters

extension CopyName {
  /// Returns the last path component with visible, harmless characters; each run of other characters becomes one `_`.
  private static func plain(_ name: String) -> String {
    let last = name.unicodeScalars.reversed().prefix { $0 != "/" && $0 != "\\" }.reversed()
    var plain = String.UnicodeScalarView()
    for scalar in last {
      let next: Unicode.Scalar
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
        .paragraphSeparator:
        continue
      // Fillers and joiners are invisible.
      case _ where scalar.properties.isDefaultIgnorableCodePoint: continue
      case .nonspacingMark, .spacingMark, .enclosingMark:
        // A combining mark is kept only after a letter.
        guard let before = plain.last, before != " ", before != ".", before != "_" else { continue }
        next = scalar
      case .spaceSeparator: next = " "
      default: next = isPlain(scalar) ? scalar : "_"
      }
      if next == " " || next == "_", plain.last == next { continue }
      plain.append(next)
    }
    return trimmed(String(plain))
  }

  /// Returns whether a character has no special meaning for a shell or a file system, here or where the file may be copied to.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.isASCII else { return true }
    let byte = UInt8(ascii: scalar)
    return byte.isASCIIDigit || byte.asciiLowercased &- UInt8(ascii: "a") < 26
      || "-_.,()+=@".utf8.contains(byte)
  }

  /// Removes leading characters that hide a file or make it an option, and trailing ones that other systems drop.
  private static func trimmed(_ text: String) -> String {
    let front = text.drop { ". -".contains($0) }
    guard let last = front.lastIndex(where: { !". ".contains($0) }) else { return "" }
    return String(front[...last])
  }

  private static func shortened(_ stem: String) -> String {
    var stem = stem
    while stem.utf8.count > stemLimit { stem.removeLast() }
    return trimmed(stem)
  }

  /// Returns whether a name is a device on Windows, with any extension.
  private static func isDevice(_ name: Substring) -> Bool {
    let name = trimmed(name.uppercased())
    if ["CON", "PRN", "AUX", "NUL"].contains(name) { return true }
    guard name.hasPrefix("COM") || name.hasPrefix("LPT"), name.count == 4 else { return false }
    return name.last.map { "0123456789¹²³".contains($0) } ?? false
  }
}

// MARK: - Types

extension MediaType {
  /// Returns whether bytes of the type `known` may well be of this type, which may be more specific or another name of it.
  fileprivate func fits(_ known: MediaType) -> Bool {
    if self == known || known == .octetStream { return true }
    if let mine = fileExtension, mine == known.fileExtension { return true }
    if isTextual, known.isTextual { return true }
    if known == .zip { return isZip }
    return Self.containers.contains { $0.contains(essence) && $0.contains(known.essence) }
  }

  /// Tells whether files of the type are written as text.
  fileprivate var isTextual: Bool {
    isText || essence.hasSuffix("+xml") || essence.hasSuffix("+json")
      || essence == "application/x-plist"
  }

  private var isZip: Bool {
    essence.hasSuffix("+zip") || essence.hasPrefix("application/vnd.openxmlformats-officedocument.")
      || essence.hasPrefix("application/vnd.oasis.opendocument.")
      || essence == "application/java-archive"
      || essence == "application/vnd.android.package-archive"
  }

  /// Groups of types whose bytes begin alike.
  private static let containers: [Set<String>] = [
    [
      "audio/mp4", "video/mp4", "video/x-m4v", "video/quicktime", "video/3gpp", "video/3gpp2",
    ],
    ["audio/ogg", "video/ogg", "application/ogg"],
    ["audio/webm", "video/webm", "video/matroska"],
    ["image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence"],
    ["audio/mpeg", "video/mpeg"],
  ]
}
