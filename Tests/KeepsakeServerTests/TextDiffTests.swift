import Testing

@testable import KeepsakeServer

@Suite("The difference of two texts")
struct TextDiffTests {
  private static func pieces(_ old: String, _ new: String) -> [TextDiff.Piece] {
    TextDiff(from: old, to: new).pieces
  }

  /// The old text and the new one, as the pieces have them.
  private static func texts(_ pieces: [TextDiff.Piece]) -> (old: String, new: String) {
    var old = ""
    var new = ""
    for piece in pieces {
      switch piece {
      case .same(let text):
        old += text
        new += text
      case .removed(let text): old += text
      case .added(let text): new += text
      }
    }
    return (old, new)
  }

  @Test func `words that stay are one stretch, whatever changed beside them`() {
    #expect(Self.pieces("yellow bananas", "yellow bananas") == [.same("yellow bananas")])
    #expect(
      Self.pieces("yellow bananas", "green bananas").contains(.removed("yellow "))
        && Self.pieces("yellow bananas", "green bananas").contains(.added("green ")))
    #expect(Self.pieces("", "").isEmpty)
    #expect(Self.pieces("", "new") == [.added("new")])
    #expect(Self.pieces("old", "") == [.removed("old")])
  }

  @Test(arguments: [
    ("a b c", "a x c"), ("one\ntwo\nthree\n", "one\nthree\nfour"), ("  blanks  ", "blanks"),
    ("🍌🍌 e\u{301}", "🍌 \u{E9}"), ("\r\nline\r\n", "\nline\n"), ("مرحبا بك", "مرحبا"),
  ])
  func `both texts are whole in the pieces`(old: String, new: String) {
    let found = Self.texts(Self.pieces(old, new))
    #expect(Array(found.old.utf8) == Array(old.utf8))
    #expect(Array(found.new.utf8) == Array(new.utf8))
  }

  @Test func `a long text is compared by its lines, and a huge one not at all`() {
    let long = (0..<1000).map { "line \($0) of a long text\n" }
    let changed = long.enumerated().map { $0.offset == 500 ? "another line\n" : $0.element }
    let pieces = Self.pieces(long.joined(), changed.joined())
    #expect(pieces.contains(.removed(long[500])))
    #expect(pieces.contains(.added("another line\n")))
    let huge = (0..<4000).map { "\($0)\n" }.joined()
    #expect(Self.pieces(huge, huge + "x") == [.removed(huge), .added(huge + "x")])
  }
}
