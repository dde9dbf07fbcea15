package import Foundation

/// What is stored: texts and bytes that are alike in every run, and never twice the same in one.
package struct Material: Sendable {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  private static let words = """
    the of a to and in that it is was for on are as with his they at be this from have or by one \
    had not but what all were when we there can an your which their said if do will each about how \
    up out them then she many some so these would other into has more her two like him see time \
    banana image generated light shadow background portrait landscape exactly water
    """.split(separator: " ").map(String.init)

  package init() {}

  package mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  /// Text of about 850 bytes; every third one has several lines and quotes, which JSON escapes.
  package mutating func text(_ index: Int = 0) -> String {
    var text = ""
    text.reserveCapacity(900)
    while text.utf8.count < 850 {
      text += Self.words[Int(next() % UInt64(Self.words.count))]
      let isRough = index % 3 == 2 && next() % 12 == 0
      text += isRough ? (next() % 3 == 0 ? "\" " : "\n") : " "
    }
    return text
  }

  package mutating func texts(_ count: Int) -> [String] {
    (0..<count).map { text($0) }
  }

  package mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
      let number = next()
      for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// Changes the beginning, so that the same bytes are new to a store.
  package mutating func renew(_ bytes: inout [UInt8]) {
    let number = next()
    for place in 0..<8 { bytes[place] = UInt8(truncatingIfNeeded: number >> UInt64(8 * place)) }
  }

  /// The same for a file, which grows by a byte: images and recordings seldom have the size of another.
  package mutating func renew(_ file: URL) throws {
    var head = [UInt8](repeating: 0, count: 8)
    renew(&head)
    let handle = try FileHandle(forUpdating: file)
    try handle.write(contentsOf: Data(head))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data([0]))
    try handle.close()
  }

  /// A file of random bytes.
  package mutating func file(_ size: Int, at url: URL) throws {
    try Data().write(to: url)
    let handle = try FileHandle(forWritingTo: url)
    let piece = Data(bytes(1 << 20))
    var left = size
    while left > 0 {
      try handle.write(contentsOf: piece.prefix(left))
      left -= min(left, piece.count)
    }
    try handle.synchronize()
    try handle.close()
  }
}
