/// The place of an archive's member, below the folder that the archive is unpacked into.
struct MemberPath: Hashable {
  /// The names of the folders, followed by the name of the file.
  let names: [String]

  /// The reason why a member can't be placed.
  struct Refusal: Error {
    let reason: String
  }

  /// The longest name that file systems accept, in bytes.
  static let longestName = 255
  /// The longest path of a member, in bytes. Systems accept 4096, including the path of the folder.
  static let longestPath = 2048

  /// - Parameters:
  ///   - name: The name as the archive states it. A backslash is a separator, as on the systems that write it.
  ///   - depth: The largest number of components.
  init(_ name: String, depth: Int) throws(Refusal) {
    guard !name.utf8.contains(0) else { throw Refusal(reason: "There is a zero byte in its name.") }
    guard name.utf8.count <= Self.longestPath else {
      throw Refusal(reason: "Its path is too long.")
    }
    // The name is split as bytes: a slash before a combining accent is another character in Swift, but a slash for
    // the system.
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

  /// Returns whether a name begins with the letter of a drive, such as `C:`.
  private static func namesDrive(_ name: String) -> Bool {
    let head = name.utf8.prefix(2)
    guard let letter = head.first, head.last == UInt8(ascii: ":") else { return false }
    return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter & 0xDF)
  }

  /// A key under which names are equal that a disk may treat as equal: in another case, or another Unicode form.
  static func key(_ names: some Sequence<String>) -> String {
    names.joined(separator: "/").lowercased()
  }
}
