import KeepsakeFiles
import Testing

@Suite("Random bytes")
struct RandomBytesTests {
  @Test(arguments: [0, 1, 16, 255, 256, 257, 512, 1000])
  func `as many come as were asked for, and others each time`(count: Int) {
    let first = [UInt8](random: count)
    let second = [UInt8](random: count)
    #expect(first.count == count)
    #expect(second.count == count)
    if count >= 16 { #expect(first != second) }
  }

  /// Each part that the system gives must have been asked for: what was not would stay as memory was.
  @Test func `no part of many is left out`() {
    let count = 1100
    let seen = (0..<8).map { _ in [UInt8](random: count) }
    for start in stride(from: 0, to: count - 16, by: 16) {
      let parts = Set(seen.map { Array($0[start..<start + 16]) })
      #expect(parts.count == seen.count, "bytes \(start) and on")
    }
  }
}
