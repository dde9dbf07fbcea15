import Testing

@testable import KeepsakeFiles

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Times before 1677 and after 2262, which 64 bits of nanoseconds don't reach.
@Suite struct `A far time` {
  @Test(arguments: [
    (9_223_372_036, 854_775_807, Int64.max), (9_223_372_036, 999_999_999, .max),
    (9_300_000_000, 0, .max), (Int.max, 999_999_999, .max), (-9_300_000_000, 0, .min),
    (Int.min, 0, .min), (0, 1, 1), (-1, 1, -999_999_999),
  ])
  func `is the nearest that there is`(seconds: Int, nanoseconds: Int, expected: Int64) {
    let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
    #expect(time.nanoseconds == expected)
    let moment = Instant(time)
    #expect(moment.nanoseconds == expected)
    #expect(moment.advanced(by: .seconds(1)) >= moment)
    _ = moment - Instant(nanoseconds: .max)
    _ = moment - Instant(nanoseconds: .min)
  }

  @Test func `of a file is not that of a very old one, and still shows that it changed`() throws {
    let temporary = try TemporaryFolder()
    let path = try temporary.write("file", [1])
    func status(at second: Int) throws -> FileStatus {
      var times = [timespec(tv_sec: second, tv_nsec: 0), timespec(tv_sec: second, tv_nsec: 0)]
      #expect(unsafe utimensat(AT_FDCWD, path, &times, 0) == 0)
      return try #require(FileStatus(path: path))
    }
    let first = try status(at: 10_000_000_000)
    let second = try status(at: 10_000_000_001)
    // Some disks can't hold such times, and take the last that they can.
    let isHeld = first.modified == .max && second.modified == .max
    #expect(first.modified > 1_000_000_000 * 1_000_000_000)
    if isHeld {
      #expect(first != second)
      #expect(!first.hasSameContents(as: second))
    }
  }
}
