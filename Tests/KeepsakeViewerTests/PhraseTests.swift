import Foundation
import Testing

@testable import KeepsakeViewer

@Suite("A page's words")
struct PhraseTests {
  @Test(arguments: [
    (Int64(0), "0 B"), (999, "999 B"), (1000, "1.0 KB"), (27_812, "28 KB"), (24 << 20, "25 MB"),
  ])
  func `sizes are in thousands`(bytes: Int64, text: String) {
    #expect(Phrase.size(bytes) == text)
  }

  @Test(arguments: [(0, "January 1970"), (1_795_600_000, "November 2026"), (-1, "December 1969")])
  func `months have names`(seconds: Int, text: String) {
    #expect(Phrase.month(Date(timeIntervalSince1970: Double(seconds))) == text)
  }

  @Test func `counts are grouped, and an excerpt is one line of whole characters`() {
    #expect(Phrase.count(1, "entry", "entries") == "1 entry")
    #expect(Phrase.count(1_234_567, "entry", "entries") == "1,234,567 entries")
    #expect(Phrase.excerpt("  a\n\n b\tc ", limit: 80) == "a b c ")
    #expect(Phrase.excerpt("👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", limit: 2) == "👩‍👩‍👧‍👦👩‍👩‍👧‍👦…")
  }
}
