/// The name of a file that is made of an artifact: safe, readable, and with an extension by which programs know it.
///
/// What a source calls a file is evidence and may be hostile: it can lead elsewhere, hide what it is, be a shell's
/// option, or be no name at all.
package struct CopyName {
  /// One component of a path, not empty, of at most ``stemLimit`` bytes and an extension.
  package let text: String

  /// File systems take 255 bytes; this leaves room for whoever copies it under a longer name.
  static let stemLimit = 120

  init(fileName: String?, label: String, declared: MediaType?, sniffed: MediaType) {
    let type = Self.type(declared: declared, sniffed: sniffed)
    let given = Parts(fileName ?? "", of: type)
    let stem = [given.stem, Parts(label, of: type).stem].first { !$0.isEmpty } ?? "artifact"
    text = (given.fileExtension ?? type.fileExtension).map { "\(stem).\($0)" } ?? stem
  }

  /// The name of an attachment's copy; nil where it has no bytes.
  package init?(_ attachment: Entry.Attachment) {
    guard let artifact = attachment.artifact else { return nil }
    self.init(
      fileName: attachment.fileName, label: attachment.label, declared: attachment.mediaType,
      sniffed: artifact.sniffedType)
  }

  /// What a title makes of a name, without an extension and without blanks; nil where nothing of it is left.
  package static func stem(ofTitle title: String) -> String? {
    // A slash in a title parts no folders.
    let parts = title.split { $0 == "/" || $0 == "\\" || $0.isWhitespace }
    var stem = plain(parts.joined(separator: "-")).replacing("_", with: "-")
    while stem.contains("--") { stem = stem.replacing("--", with: "-") }
    stem = shortened(stem)
    while let last = stem.last, "-.".contains(last) { stem.removeLast() }
    return stem.isEmpty ? nil : stem
  }

  /// The declared type, unless the bytes are plainly something else: viewers go by the extension.
  private static func type(declared: MediaType?, sniffed: MediaType) -> MediaType {
    guard let declared, declared.fileExtension != nil, declared.fits(sniffed) else {
      return sniffed
    }
    return declared
  }

  /// What is left of a declared name; the extension only where it fits.
  private struct Parts {
    var stem: String
    var fileExtension: String?

    init(_ name: String, of type: MediaType) {
      let plain = CopyName.plain(name)
      stem = plain
      if let dot = plain.lastIndex(of: ".") {
        let last = String(plain[plain.index(after: dot)...])
        if Self.isExtension(last), let known = MediaType.forFileExtension(last) {
          // An extension that tells lies is replaced; anything else is a part of the name.
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
  /// The last component, of characters that are seen as what they are; each run of others is one `_`.
  private static func plain(_ name: String) -> String {
    let last = name.unicodeScalars.reversed().prefix { $0 != "/" && $0 != "\\" }.reversed()
    var plain = String.UnicodeScalarView()
    for scalar in last {
      let next: Unicode.Scalar
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
        .paragraphSeparator:
        continue
      // Fillers and joiners, which show nothing.
      case _ where scalar.properties.isDefaultIgnorableCodePoint: continue
      case .nonspacingMark, .spacingMark, .enclosingMark:
        // A mark belongs to a letter.
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

  /// Nothing that a shell or a file system, here or where the file is copied to, takes for more than a letter.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.isASCII else { return true }
    let byte = UInt8(ascii: scalar)
    return byte.isASCIIDigit || byte.asciiLowercased &- UInt8(ascii: "a") < 26
      || "-_.,()+=@".utf8.contains(byte)
  }

  /// Without what hides a file or makes it an option in front, and what other systems drop behind.
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

  /// The names that are devices on Windows, whatever extension they have.
  private static func isDevice(_ name: Substring) -> Bool {
    let name = trimmed(name.uppercased())
    if ["CON", "PRN", "AUX", "NUL"].contains(name) { return true }
    guard name.hasPrefix("COM") || name.hasPrefix("LPT"), name.count == 4 else { return false }
    return name.last.map { "0123456789¹²³".contains($0) } ?? false
  }
}

// MARK: - Types

extension MediaType {
  /// Whether bytes that are known as `known` may well be of this type, which says it more closely or under another name.
  fileprivate func fits(_ known: MediaType) -> Bool {
    if self == known || known == .octetStream { return true }
    if let mine = fileExtension, mine == known.fileExtension { return true }
    if isTextual, known.isTextual { return true }
    if known == .zip { return isZip }
    return Self.containers.contains { $0.contains(essence) && $0.contains(known.essence) }
  }

  /// Written as text, whatever it is for.
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

  /// Types whose bytes begin alike.
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
