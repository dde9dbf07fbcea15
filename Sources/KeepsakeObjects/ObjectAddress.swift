package import Keepsake

/// The address of a place in a bucket: `s3://bucket/prefix`.
package struct ObjectAddress: Sendable, Hashable, CustomStringConvertible {
  private static let scheme = "s3://"

  /// The name of the bucket.
  package let bucket: String
  /// What the keys of all objects of the place begin with: nothing, or a text that ends with a slash.
  package let prefix: String

  /// The address as it is written in messages.
  package var description: String { "\(Self.scheme)\(bucket)/\(prefix.dropLast())" }

  /// Reads an address.
  /// - Throws: An error that does not repeat the address, which may hold a secret that somebody wrote into it.
  package init(_ text: String) throws(KeepsakeError) {
    guard text.hasPrefix(Self.scheme) else { throw Self.refusal("it does not begin with 's3://'") }
    let parts = text.dropFirst(Self.scheme.count)
      .split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let bucket = String(parts.first ?? "")
    guard (3...63).contains(bucket.utf8.count), bucket.utf8.allSatisfy(Self.isAllowed) else {
      throw Self.refusal(
        "the name of a bucket has 3 to 63 small letters, digits, points and hyphens")
    }
    var names = (parts.count > 1 ? parts[1] : "")
      .split(separator: "/", omittingEmptySubsequences: false)
    if names.last == "" { names.removeLast() }
    guard !names.contains(where: { ["", ".", ".."].contains($0) }) else {
      throw Self.refusal("a part of its prefix is empty, '.' or '..'")
    }
    // A listing, which is XML, can't say such characters.
    guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
      throw Self.refusal("it has a control character")
    }
    guard text.utf8.count <= 600 else { throw Self.refusal("it is longer than 600 bytes") }
    self.bucket = bucket
    prefix = names.map { "\($0)/" }.joined()
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "."), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  private static func refusal(_ reason: String) -> KeepsakeError {
    KeepsakeError(
      .invalid,
      "The address of a bucket can't be used: \(reason). Write it as 's3://bucket/prefix', without a key or a password."
    )
  }
}
