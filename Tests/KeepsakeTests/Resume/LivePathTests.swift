import KeepsakeTestSupport
import Testing

@testable import Keepsake

@Suite("The live path")
struct LivePathTests {
  /// The path as it is told: from the end, one entry after the other.
  private static func walked(_ count: Int, from start: Int = 0, _ returns: [Int: Int]) -> [Int] {
    var path: [Int] = []
    var next = start + count - 1
    while next >= start {
      path.append(next)
      next = min(returns[next] ?? next - 1, next - 1)
    }
    return path.reversed()
  }

  @Test(arguments: UInt64(0)..<300)
  func `is what one comes to who walks back from the end`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 0...40, using: &random)
    let start = Bool.random(using: &random) ? 0 : 17
    var returns: [Int: Int] = [:]
    for position in start..<(start + count) where Int.random(in: 0..<5, using: &random) == 0 {
      // Also to the event itself, to what follows it, and to far before the beginning: a damaged store may say so.
      returns[position] = Int.random(in: (start - 3)...(position + 2), using: &random)
    }
    let entries = (start..<(start + count)).map { position in
      var entry = Entry.event("\(position)")
      entry.position = position
      entry.continuesAfter = returns[position]
      return entry
    }
    let path = LivePath(of: entries)
    let walked = Self.walked(count, from: start, returns)
    #expect(path.stretches.flatMap { Array($0) } == walked)
    #expect(((start - 3)..<(start + count + 3)).filter(path.contains) == walked)
    #expect(path.isWhole == (walked.count == count))
    #expect(path.stretches.allSatisfy { !$0.isEmpty })
    #expect(
      zip(path.stretches, path.stretches.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
  }

  @Test func `of a list that came from no session counts from its first entry`() {
    let list = [.prompt("a"), .prompt("b"), Entry.goingBack(to: 0), .prompt("c")]
    #expect(LivePath(of: list).stretches == [0..<1, 2..<4])
    #expect(LivePath(of: []).isWhole)
  }
}
