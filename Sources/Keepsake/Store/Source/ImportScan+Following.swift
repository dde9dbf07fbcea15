extension ImportScan {
  /// Notes the hash of the file up to its bookmark, if the file is followed.
  func follow() throws {
    guard let followed = source.followed, let bookmark, let standing = source.standing,
      let growth = source.growth
    else { return }
    try followed.note(hashed.bookmark, of: standing, upTo: bookmark.offset, in: growth)
  }
}
