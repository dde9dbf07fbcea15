/// Where a member of an archive is put, below the folder that it is unpacked into.
struct MemberPath: Hashable {
  /// The names of the folders, and last its own.
  let names: [String]

  /// Why there is no place for a member.
  struct Refusal: Error {
    let reason: String
  }

  /// Disks take no longer name.
  static let longestName = 255
  /// Systems take paths of 4096 bytes; the folder that it is unpacked into is a part of that.
  static let longestPath = 2048

  /// - Parameters:
  ///   - name: As the archive says it. A backslash is a separator, as it is where such archives come from.
  ///   - depth: How many names it may have.
  init(_ name: String, depth: Int) throws(Refusal) {
    guard !name.utf8.contains(0) else { throw Refusal(reason: "There is a zero byte in its name.") }
    guard name.utf8.count <= Self.longestPath else {
      throw Refusal(reason: "Its path is too long.")
    }
    // The name is split by bytes: Swift takes a slash with an accent behind it for another character, the system for a slash.
    let parts = name.utf8.split(whereSeparator: Self.separates)
      .map { String(decoding: Array($0), as: UTF8.self) }.filter { $0 != "." }
    let isAbsolute = name.utf8.first.map(Self.separates) ?? false
    guard !isAbsolute, !parts.contains(".."), !Self.namesDrive(name) else {
      throw Refusal(reason: "Its path leads out of the archive.")
    }
    guard !parts.isEmpty else { throw Refusal(reason: "It has no name.") }
    guard parts.count <= depth else {
      throw Refusal(reason: "It lies deeper than \(depth) folders.")
    }
    guard parts.allSatisfy({ $0.utf8.count <= Self.longestName }) else {
      throw Refusal(reason: "Its name is longer than \(Self.longestName) bytes.")
    }
    names = parts
  }

  private static func separates(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
  }

  /// Whether it begins with the letter of a drive: `C:`.
  private static func namesDrive(_ name: String) -> Bool {
    let head = name.utf8.prefix(2)
    guard let letter = head.first, head.last == UInt8(ascii: ":") else { return false }
    return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter & 0xDF)
  }

  /// Names that a disk may take for one are equal: other case, another Unicode form of the same characters.
  static func key(_ names: some Sequence<String>) -> String {
    names.joined(separator: "/").lowercased()
  }
}
