#if canImport(CKeepsakeCurl)
  /// Takes the answer of one transfer as its bytes come in.
  final class CurlReceiver {
    private static let largestHead = 64 << 10

    private(set) var headers: [String: String] = [:]
    private(set) var body: [UInt8] = []
    /// Tells whether the transfer was ended because the answer is larger than it may be.
    private(set) var isTooLarge = false
    /// Tells whether the whole head came. A connection that ends within it is none of libcurl's errors.
    private(set) var isHeadWhole = false
    private let largest: Int
    private var headSize = 0

    init(largest: Int) { self.largest = largest }

    /// Takes a line of the head; false ends the transfer.
    func takeHead(_ line: [UInt8]) -> Bool {
      headSize += line.count
      guard headSize <= Self.largestHead else {
        isTooLarge = true
        return false
      }
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
        // A status line begins a head; an earlier head was one that only says to go on.
        if line.starts(with: "HTTP/".utf8) { headers.removeAll() }
        isHeadWhole = line == [0x0D, 0x0A] || line == [0x0A]
        return true
      }
      let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      let value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
      let end = value.lastIndex { $0 > 0x20 }
      headers[name] = end.map { String(decoding: value[...$0], as: UTF8.self) } ?? ""
      return true
    }

    /// Takes a piece of the body; false ends the transfer.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
      guard body.count + bytes.count <= largest else {
        isTooLarge = true
        return false
      }
      unsafe body.append(contentsOf: bytes)
      return true
    }
  }
#endif
