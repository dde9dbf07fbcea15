import KeepsakeFiles

/// The note that the file of one of a store's first artifacts is put into place, and has no row yet: an empty file in
/// `incoming/` that is named after it.
enum FirstFile {
  private static let beginning = "first-"

  static func name(_ digest: SHA256Digest) -> String { beginning + digest.hex }

  /// The artifact that a note of this name tells of; nil where it is no note.
  static func digest(ofName name: String) -> SHA256Digest? {
    guard name.hasPrefix(beginning),
      let digest = SHA256Digest(hex: String(name.dropFirst(beginning.count))),
      self.name(digest) == name
    else { return nil }
    return digest
  }
}
