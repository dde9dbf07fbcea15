import Foundation
import KeepsakeFiles
import Testing

@testable import Keepsake

/// Reading the JSON of records.
@Suite struct `A record of a copy that is read from JSON` {
  private static let digest = String(repeating: "0a", count: 32)
  private static let revision = """
    {"position": 3, "number": 2, "replaced": "2026-10-14T09:30:00.25Z", "until": 7, "status": "complete",
     "chain": {"operation": "revise", "change": 9, "salt": "\(digest.prefix(32))", "digest": "\(digest)"}}
    """

  @Test func `has its members in any order, and spelled with escapes`() throws {
    let record = try CopyRecord(.revision, reading: Array(Self.revision.utf8))
    #expect(record.int("position") == 3 && record.int("number") == 2 && record.int("until") == 7)
    #expect(record.int("chain.change") == 9)
    #expect(record.bytes("chain.digest") == [UInt8](repeating: 10, count: 32))
    #expect(record.bytes("chain.salt") == [UInt8](repeating: 10, count: 16))
    #expect(record["body"] == .null)
    let others = [
      #"{"chain":{"digest":"\#(Self.digest)","salt":"\#(Self.digest.prefix(32))","change":9,"operation":"revise"},"#
        + #""status":"complete","until":7,"replaced":"2026-10-14T09:30:00.25Z","number":2,"position":3}"#,
      Self.revision.replacing("\"chain\"", with: #""c\u0068ain""#)
        .replacing("\"position\"", with: #""\u0070osition""#)
        .replacing("revise\"", with: #"r\u0065vise""#)
        .replacing("\"0a0a", with: #""\u0030a0\u0061"#)
        .replacing("2026-", with: #"20\u00326-"#),
    ]
    for other in others {
      let same = try CopyRecord(.revision, reading: Array(other.utf8))
      #expect(same.values == record.values, "\(other)")
    }
  }

  @Test(arguments: [
    ("\"position\"", "\"positiom\"", "'positiom'"),
    ("\"position\"", "\"the position of this\"", "'the position of this'"),
    ("\"position\"", "\"\"", "''"),
    ("\"until\": 7", "\"until\": 7, \"until\": 7", "twice"),
    ("\"until\": 7", "\"change\": 7", "'change'"),
    ("\"change\"", "\"until\"", "'until'"),
    ("\"until\": 7, ", "", "no 'until'"),
    ("\"change\": 9, ", "", "no 'chain.change'"),
    ("\"chain\"", "\"chains\"", "'chains'"),
    ("\"until\": 7", "\"chain\": {}, \"until\": 7", "'chain'"),
    ("0a\"}", "0A\"}", "small letters"),
    ("0a\"}", "0a0a\"}", "64 hexadecimal digits"),
    ("Z\"", "\"", "a time"),
    ("\"complete\"", "\"completes\"", "'complete'"),
  ])
  func `is refused with a member that is not known, wrong, missing or there twice`(
    text: String, other: String, reason: String
  ) throws {
    let altered = Self.revision.replacing(text, with: other)
    try #require(altered != Self.revision)
    let error = #expect(throws: CopyFault.self) {
      try CopyRecord(.revision, reading: Array(altered.utf8))
    }
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
  }

  @Test func `has names that are told apart by each of their bytes`() throws {
    let texts = [
      "", "a", "b", "aa", "a\0", "12345678", "123456789", "1234567890123456", "123456789012345x",
    ]
    let names = try texts.map { try #require(ShortName($0)) }
    for (index, name) in names.enumerated() {
      #expect(names.firstIndex(of: name) == index)
      #expect(ShortName(texts[index]) == name)
    }
    #expect(ShortName("12345678901234567") == nil)
  }
}
