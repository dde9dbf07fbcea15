import KeepsakeFiles
import Keepsake

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
