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
