extension ImportScan {
  /// Notes the file's beginning up to its bookmark, if the file is followed.
  func follow() {
    guard let followed = source.followed, let standing = source.standing, bookmark != nil
    else { return }
    followed.note(beginning.bookmark, of: standing)
  }
}
