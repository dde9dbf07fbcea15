/// Random numbers that a seed repeats (SplitMix64).
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// A number whose magnitudes are equally likely: as many small sizes as large ones.
  mutating func size(_ range: ClosedRange<Int>) -> Int {
    var limit = range.lowerBound
    while limit < range.upperBound, Bool.random(using: &self) || Bool.random(using: &self) {
      limit *= 2
    }
    return Int.random(
      in: range.lowerBound...min(max(limit, range.lowerBound), range.upperBound), using: &self)
  }
}

/// Bytes and text that a seed repeats.
enum Content {
  /// Each block of 4 KiB differs from all others of the same bytes, so that a swapped one shows.
  static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = Seeded(seed)
    var block: [UInt8] = []
    for _ in 0..<512 { append(random.next(), to: &block) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + block.count)
    var number: UInt64 = 0
    while bytes.count < count {
      append(seed &+ number, to: &bytes)
      bytes += block
      number += 1
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  static func text(_ count: Int, using random: inout Seeded) -> String {
    let words = ["banana", "藍色", "été", "a", "picture", "of", "the", "\n", "🍌", "\"quoted\""]
    var text = ""
    while text.utf8.count < count {
      text += words[Int(random.next() % UInt64(words.count))]
      text += " "
    }
    return text
  }

  private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
    }
  }
}
