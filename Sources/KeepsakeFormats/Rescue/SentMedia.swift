import KeepsakeFiles
import Keepsake

/// The facts about an image or a document that a service's rules need.
struct SentMedia: Sendable {
  /// A fault that does not depend on the limits.
  enum Fault { case notBase64, empty, cutOff, notAnImage, otherImage, misnamed, notPDF, locked }

  let isImage: Bool
  /// The length of the base64.
  let encoded: Int
  let bytes: Int
  /// The type of the bytes.
  let type: MediaType
  let size: PixelSize?
  let pages: Int
  /// The SHA-256 of the bytes; nil where the base64 can't be decoded.
  let digest: SHA256Digest?
  let fault: Fault?
  /// The range of the declared type; nil where none is declared.
  let typeRange: Range<Int>?

  /// The types of images that services accept.
  static let images: Set<String> = ["image/png", "image/jpeg", "image/gif", "image/webp"]

  /// - Parameters:
  ///   - isImage: Whether an image is expected; otherwise a document is.
  ///   - base64: The range of the base64, between the quotes.
  ///   - stated: The declared type.
  ///   - typeRange: The range of the declared type.
  ///   - line: The bytes of the line.
  init(
    isImage: Bool, base64: Range<Int>, stated: String?, typeRange: Range<Int>?, in line: [UInt8]
  ) {
    self.isImage = isImage
    self.typeRange = typeRange
    encoded = base64.count
    guard let bytes = ForeignBase64.decode(line[base64]) else {
      self.bytes = 0
      type = .octetStream
      size = nil
      pages = 0
      digest = nil
      fault = base64.isEmpty ? .empty : .notBase64
      return
    }
    self.bytes = bytes.count
    digest = SHA256.digest(of: bytes)
    let head = Array(bytes.prefix(MediaType.sniffedLength))
    type = MediaType.sniff(head: head, size: Int64(bytes.count))
    guard isImage else {
      size = nil
      let isPDF = type == .pdf
      pages = isPDF ? PDFSketch.pages(of: bytes) : 0
      fault = isPDF ? (PDFSketch.isLocked(bytes) ? .locked : nil) : .notPDF
      return
    }
    pages = 0
    let type = type
    let size = PixelSize(head: head) ?? PixelSize(head: bytes)
    self.size = size
    fault =
      if !type.isImage {
        .notAnImage
      } else if !Self.images.contains(type.essence) {
        .otherImage
      } else if size == nil || !ImageEnd.isReached(in: bytes, type) {
        .cutOff
      } else if stated.map({ MediaType($0) != type }) ?? true {
        .misnamed
      } else {
        nil
      }
  }

  /// A description for a person, such as `2560×9000 PNG, 6.1 MB`.
  var description: String {
    var words: [String] = []
    switch fault {
    case .notBase64: words.append("its base64 is damaged")
    case .empty: words.append("it is empty")
    default:
      let name = type.fileExtension?.uppercased() ?? type.essence
      words.append((size.map { "\($0) " } ?? "") + name)
      if fault == .notAnImage { words[0] = "\(name), not an image" }
      if fault == .cutOff { words[0] += ", cut off" }
      if fault == .locked { words[0] += " with a password" }
    }
    words.append(ByteCount.text(Int64(digest == nil ? encoded : bytes)))
    return words.joined(separator: ", ")
  }
}

/// Checks whether an image has its end, because services refuse an image that was cut off.
enum ImageEnd {
  static func isReached(in bytes: [UInt8], _ type: MediaType) -> Bool {
    switch type {
    case .png: hasPNGEnd(bytes)
    case .jpeg: hasJPEGEnd(bytes)
    case .gif: hasGIFEnd(bytes)
    case .webp: hasWebPEnd(bytes)
    default: true
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }

  /// Returns whether a PNG's chunks reach the chunk `IEND`. Each chunk states its length.
  private static func hasPNGEnd(_ bytes: [UInt8]) -> Bool {
    var offset = 8
    while offset + 12 <= bytes.count {
      let length = number(bytes[offset..<(offset + 4)])
      let isEnd = bytes[(offset + 4)..<(offset + 8)].elementsEqual("IEND".utf8)
      offset += 12 + length
      if isEnd { return offset <= bytes.count }
    }
    return false
  }

  /// Returns whether a JPEG reaches its end marker, past its segments and its compressed data, in which 0xFF begins a marker.
  private static func hasJPEGEnd(_ bytes: [UInt8]) -> Bool {
    var offset = 2
    while offset + 1 < bytes.count {
      guard bytes[offset] == 0xFF else {
        offset += 1
        continue
      }
      switch bytes[offset + 1] {
      case 0xD9: return true
      // These are a fill byte, then the markers without a length: an escaped 0xFF, restarts, and the beginning.
      case 0xFF: offset += 1
      case 0x00, 0x01, 0xD0...0xD8: offset += 2
      default:
        guard offset + 4 <= bytes.count else { return false }
        offset += 2 + max(2, number(bytes[(offset + 2)..<(offset + 4)]))
      }
    }
    return false
  }

  /// Returns whether a GIF's blocks reach its end. A file that ends between two blocks lacks only the last byte, and is
  /// accepted.
  private static func hasGIFEnd(_ bytes: [UInt8]) -> Bool {
    func colors(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }
    guard bytes.count >= 13 else { return false }
    var offset = 13 + colors(bytes[10])
    func passBlocks() -> Bool {
      while offset < bytes.count {
        let length = Int(bytes[offset])
        offset += 1 + length
        if length == 0 { return true }
      }
      return false
    }
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x3B: return true
      case 0x21:
        offset += 2
        guard passBlocks() else { return false }
      case 0x2C:
        guard offset + 10 < bytes.count else { return false }
        offset += 11 + colors(bytes[offset + 9])
        guard passBlocks() else { return false }
      default: return true
      }
    }
    return offset == bytes.count
  }

  private static func hasWebPEnd(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 12 else { return false }
    return 8 + bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) } <= bytes.count
  }
}

/// Finds facts about a PDF without parsing it. In a PDF whose objects are compressed it finds nothing.
enum PDFSketch {
  static func isLocked(_ bytes: [UInt8]) -> Bool {
    var isFound = false
    find("/Encrypt", in: bytes) { end in
      // `/EncryptMetadata` is another name.
      if end < bytes.count, !isLetter(bytes[end]) { isFound = true }
    }
    return isFound
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  /// The number of pages; 0 where it is not known.
  static func pages(of bytes: [UInt8]) -> Int {
    var pages = 0
    find("/Type", in: bytes) { end in
      let rest = bytes[end...].drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D }
      let name = rest.prefix(6)
      guard name.starts(with: "/Page".utf8) else { return }
      // `/Pages` is the node that lists pages, and no page.
      if let next = name.dropFirst(5).first, isLetter(next) { return }
      pages += 1
    }
    return pages
  }

  private static func find(_ word: String, in bytes: [UInt8], _ tell: (Int) -> Void) {
    let word = Array(word.utf8)
    var offset = 0
    while let found = bytes.span.bytes.firstOffset(of: word[0], from: offset) {
      let end = found + word.count
      if end <= bytes.count, bytes[found..<end].elementsEqual(word) { tell(end) }
      offset = found + 1
    }
  }
}
