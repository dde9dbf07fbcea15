import Testing

@testable import KeepsakeFiles

@Suite("Memory of a process that rests")
struct RestingMemoryTests {
  /// How many kilobytes of a kind Linux counts for this process.
  private static func resident(_ name: String) throws -> Int? {
    let bytes = try FileDescriptor(opening: "/proc/self/status").readAll(limit: 1 << 16)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("\(name):") }?
      .split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }

  @Test(.enabled(if: FileLock.areHoldersListed))
  func `is given back, and all that ran before runs again`() throws {
    let text = (0..<1000).map { "\($0)" }.joined(separator: " ")
    let before = try #require(try Self.resident("RssFile"))
    RestingMemory.giveBack()
    let after = try #require(try Self.resident("RssFile"))
    // Other tests run at the same time, and bring some of it in again at once.
    #expect(after < before)
    #expect((0..<1000).map { "\($0)" }.joined(separator: " ") == text)
  }
}
