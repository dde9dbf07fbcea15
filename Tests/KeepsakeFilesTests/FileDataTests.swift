import Foundation
import Testing

@testable import KeepsakeFiles

@Suite("Reading a file into data")
struct FileDataTests {
  let temporary: TemporaryFolder

  init() throws { temporary = try TemporaryFolder() }

  @Test(arguments: [(0, 0), (0, 10), (3, 4), (0, 11), (9, 5), (10, 1), (50, 3)])
  func `gives what is there from an offset, and no more`(offset: Int, count: Int) throws {
    let bytes = [UInt8](0..<10)
    try temporary.directory.createDurably("file", contents: bytes)
    let file = try temporary.directory.openFile("file", for: .reading)
    let expected = bytes.dropFirst(offset).prefix(count)
    #expect(try file.data(count: count, at: Int64(offset)) == Data(expected))
  }
}
