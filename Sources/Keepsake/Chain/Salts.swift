/// Random bytes that keep a digest from betraying what it was of, drawn for a whole batch at once.
struct Salts {
  static let size = 16
  private var bytes: [UInt8]

  init(count: Int) {
    var generator = SystemRandomNumberGenerator()
    bytes = []
    bytes.reserveCapacity(count * Self.size)
    for _ in 0..<(count * 2) {
      Canonical.append(Int64(bitPattern: generator.next()), to: &bytes)
    }
  }

  mutating func next() -> [UInt8] {
    let salt = Array(bytes.suffix(Self.size))
    bytes.removeLast(Self.size)
    return salt
  }
}
