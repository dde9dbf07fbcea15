/// The number of entries that a file can have.
enum EntryCount {
  static let range = 0...1 << 24
}
