/// Sniffing of archives, and of documents that are archives inside.
extension Sniffer {
  func archive() -> MediaType? {
    if has("PK"), has([3, 4], at: 2) { return zipped() }
    if has("PK"), has([5, 6], at: 2) || has([7, 8], at: 2) { return .zip }
    if has([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]) { return compoundFile() }
    if has("BZh"), bytes.count > 9, 0x31...0x39 ~= bytes[3],
      has([0x31, 0x41, 0x59, 0x26, 0x53, 0x59], at: 4)
        || has([0x17, 0x72, 0x45, 0x38, 0x50, 0x90], at: 4)
    {
      return "application/x-bzip2"
    }
    return isTar ? "application/x-tar" : nil
  }

  /// Determines the kind of a ZIP archive from the names of the entries in the head.
  ///
  /// Entries are found by their signatures, because the header of an entry that was written as a stream lacks the entry's
  /// length.
  private func zipped() -> MediaType {
    var entry: Int? = 0
    while let start = entry {
      if let type = zipped(entryAt: start, isFirst: start == 0) { return type }
      entry = position(of: [0x50, 0x4B, 3, 4], from: start + 4)
    }
    return .zip
  }

  private func zipped(entryAt start: Int, isFirst: Bool) -> MediaType? {
    guard let nameLength = littleEndian(at: start + 26, count: 2),
      let extraLength = littleEndian(at: start + 28, count: 2)
    else { return nil }
    let nameEnd = start + 30 + Int(nameLength)
    guard nameEnd <= bytes.count else { return nil }
    let name = bytes[start + 30..<nameEnd]
    let isStored = littleEndian(at: start + 8, count: 2) == 0
    if isFirst, isStored {
      if name.elementsEqual("mimetype".utf8) { return declared(at: nameEnd + Int(extraLength)) }
      // In Apple's USDZ the first entry is a scene, and nothing is compressed.
      if [".usdc", ".usda", ".usd"].contains(where: {
        name.suffix($0.utf8.count).elementsEqual($0.utf8)
      }) {
        return "model/vnd.usdz+zip"
      }
    }
    return Self.zipFolders.first { name.starts(with: $0.prefix.utf8) }?.type
  }

  private static let zipFolders: [(prefix: String, type: MediaType)] = [
    ("word/", MediaType(MediaType.officeOpen + "wordprocessingml.document")),
    ("xl/", MediaType(MediaType.officeOpen + "spreadsheetml.sheet")),
    ("ppt/", MediaType(MediaType.officeOpen + "presentationml.presentation")),
    ("META-INF/MANIFEST.MF", "application/java-archive"),
    ("AndroidManifest.xml", "application/vnd.android.package-archive"),
  ]

  /// Reads the type that EPUB and OpenDocument state in their first entry.
  private func declared(at offset: Int) -> MediaType? {
    guard offset < bytes.count else { return nil }
    let isAllowed: (UInt8) -> Bool = { byte in
      byte.isASCIIDigit || byte.asciiLowercased &- 0x61 < 26 || "/+-.".utf8.contains(byte)
    }
    let text = String(decoding: bytes[offset...].prefix(while: isAllowed), as: UTF8.self)
    if text.hasPrefix("application/epub+zip") { return "application/epub+zip" }
    // The next entry's signature, `PK`, follows at once and looks like a part of the type.
    let name = text.hasSuffix("PK") ? String(text.dropLast(2)) : text
    return name.hasPrefix(MediaType.openDocument) ? MediaType(name) : nil
  }

  /// Determines the kind of an old Office document from the directory of streams, if it is in the head.
  private func compoundFile() -> MediaType {
    let kinds: [(stream: String, type: MediaType)] = [
      ("WordDocument", "application/msword"), ("Workbook", "application/vnd.ms-excel"),
      ("PowerPoint Document", "application/vnd.ms-powerpoint"),
    ]
    let kind = kinds.first { position(of: $0.stream.utf8.flatMap { [$0, 0] }) != nil }
    return kind?.type ?? "application/x-ole-storage"
  }

  /// Whether the bytes are a tar archive, whose header has a checksum of itself, so that this is certain even without a
  /// signature.
  private var isTar: Bool {
    guard bytes.count >= 512, bytes[0] != 0 else { return false }
    let digits = bytes[148..<156].drop { $0 == 0x20 }.prefix { 0x30...0x37 ~= $0 }
    guard !digits.isEmpty else { return false }
    let stated = digits.reduce(0) { $0 << 3 | Int($1 - 0x30) }
    let sum =
      bytes[..<148].reduce(0) { $0 + Int($1) } + bytes[156..<512].reduce(8 * 32) { $0 + Int($1) }
    return stated == sum
  }
}
