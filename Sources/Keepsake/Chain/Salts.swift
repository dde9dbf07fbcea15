import Files

/// Random bytes that keep a digest from betraying what it was of, drawn for a whole batch at once.
struct Salts {
  static let size = 16
  private var bytes: [UInt8]

  init(count: Int) { bytes = [UInt8](random: count * Self.size) }

  mutating func next() -> [UInt8] {
    let salt = Array(bytes.suffix(Self.size))
    bytes.removeLast(Self.size)
    return salt
  }
}
