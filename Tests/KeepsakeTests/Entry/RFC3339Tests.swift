import Foundation
import KeepsakeTestSupport
import Testing

@testable import Keepsake

@Suite("Times as text")
struct RFC3339Tests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"),
      (1, "1970-01-01T00:00:00.000001Z"),
      (-1, "1969-12-31T23:59:59.999999Z"),
      (-1_000_000, "1969-12-31T23:59:59Z"),
      (951_782_400_000_000, "2000-02-29T00:00:00Z"),
      (951_868_799_999_999, "2000-02-29T23:59:59.999999Z"),
      (4_107_542_400_000_000, "2100-03-01T00:00:00Z"),
      (1_709_164_800_250_000, "2024-02-29T00:00:00.250000Z"),
      (-62_135_596_800_000_000, "0001-01-01T00:00:00Z"),
      (-62_167_219_200_000_000, "0000-01-01T00:00:00Z"),
      (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
      (253_402_300_800_000_000, "+010000-01-01T00:00:00Z"),
      (-62_167_219_200_000_001, "-000001-12-31T23:59:59.999999Z"),
      (Int64.max, "+294247-01-10T04:00:54.775807Z"),
      (Int64.min, "-290308-12-21T19:59:05.224192Z"),
    ] as [(Int64, String)])
  func `a time is written and read`(microseconds: Int64, text: String) {
    #expect(RFC3339.text(microseconds) == text)
    #expect(RFC3339.microseconds(text) == microseconds)
  }

  @Test(arguments: [
    ("2024-02-29t12:00:00z", "2024-02-29T12:00:00Z"),
    ("2024-02-29 12:00:00Z", "2024-02-29T12:00:00Z"),
    ("2024-01-01T00:30:00+01:00", "2023-12-31T23:30:00Z"),
    ("2023-12-31T23:30:00-00:45", "2024-01-01T00:15:00Z"),
    ("2024-01-01T00:00:00.1Z", "2024-01-01T00:00:00.100000Z"),
    ("2024-01-01T00:00:00.1234567899Z", "2024-01-01T00:00:00.123456Z"),
    ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
  ])
  func `other spellings are read`(spelling: String, text: String) throws {
    let microseconds = try #require(RFC3339.microseconds(spelling))
    #expect(RFC3339.text(microseconds) == text)
  }

  @Test(arguments: [
    "", "2024", "2024-01-01", "2024-01-01T00:00:00", "2024-1-01T00:00:00Z", "2024-13-01T00:00:00Z",
    "2024-00-01T00:00:00Z", "2023-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2024-04-31T00:00:00Z",
    "2024-01-00T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z", "2024-01-01T00:00:61Z",
    "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00Zx", "2024-01-01T00:00:00+1:00",
    "2024-01-01T00:00:00+24:00", " 2024-01-01T00:00:00Z", "+2024-01-01T00:00:00Z",
    "+999999999-01-01T00:00:00Z", "２０２４-01-01T00:00:00Z",
  ])
  func `what is no time is not read`(text: String) {
    #expect(RFC3339.microseconds(text) == nil)
  }

  @Test func `any time comes back, and agrees with Foundation`() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20_000 {
      let time = Int64.random(in: .min ... .max, using: &random)
      #expect(RFC3339.microseconds(RFC3339.text(time)) == time, "seed \(seed)")
    }
    for _ in 0..<500 {
      let second = Int64.random(in: -11_000_000_000...250_000_000_000, using: &random)
      let date = Date(timeIntervalSince1970: Double(second))
      #expect(RFC3339.text(second * 1_000_000) == date.formatted(.iso8601), "seed \(seed)")
    }
  }
}
