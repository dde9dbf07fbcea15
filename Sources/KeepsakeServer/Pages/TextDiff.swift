/// The difference of two texts, word by word.
struct TextDiff {
  /// A stretch of text that both have, that only the old one has, or that only the new one has.
  enum Piece: Equatable {
    case same(String)
    case removed(String)
    case added(String)
  }

  let pieces: [Piece]

  /// The most words or lines of a text that are compared one by one. The work grows with the product of both texts.
  private static let limit = 3000

  /// Compares words; lines where there are too many words; and nothing where there are too many lines, which gives the
  /// old text as removed and the new one as added.
  init(from old: String, to new: String) {
    for isWhole in [false, true] {
      let before = Self.parts(of: old, areLines: isWhole)
      let after = Self.parts(of: new, areLines: isWhole)
      guard before.count <= Self.limit, after.count <= Self.limit else { continue }
      pieces = Self.pieces(before, after)
      return
    }
    pieces = [.removed(old), .added(new)]
  }

  private static func pieces(_ before: [Substring], _ after: [Substring]) -> [Piece] {
    // By bytes, because an accent that is written in another way is a change, too.
    let change = after.difference(from: before) { $0.utf8.elementsEqual($1.utf8) }
    var removed = Set<Int>()
    var added = Set<Int>()
    for step in change {
      switch step {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
    var pieces: [Piece] = []
    var old = 0
    var new = 0
    while old < before.count || new < after.count {
      if removed.contains(old) {
        pieces.add(.removed(String(before[old])))
        old += 1
      } else if added.contains(new) {
        pieces.add(.added(String(after[new])))
        new += 1
      } else {
        pieces.add(.same(String(after[new])))
        old += 1
        new += 1
      }
    }
    return pieces
  }

  /// The words of a text, each with the blanks behind it, or its lines with their ends. Joined, they are the text.
  private static func parts(of text: String, areLines: Bool) -> [Substring] {
    var parts: [Substring] = []
    var start = text.startIndex
    var index = start
    while index < text.endIndex {
      let next = text.index(after: index)
      let isEnd =
        areLines
        ? text[index].isNewline
        : text[index].isWhitespace && (next == text.endIndex || !text[next].isWhitespace)
      if isEnd {
        parts.append(text[start..<next])
        start = next
      }
      index = next
    }
    if start < text.endIndex { parts.append(text[start...]) }
    return parts
  }
}

extension [TextDiff.Piece] {
  /// Adds a piece, to the last one where that is of the same kind.
  fileprivate mutating func add(_ piece: TextDiff.Piece) {
    switch (last, piece) {
    case (.same(let text)?, .same(let more)): self[count - 1] = .same(text + more)
    case (.removed(let text)?, .removed(let more)): self[count - 1] = .removed(text + more)
    case (.added(let text)?, .added(let more)): self[count - 1] = .added(text + more)
    default: append(piece)
    }
  }
}
