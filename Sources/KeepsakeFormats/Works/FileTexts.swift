import KeepsakeFiles

/// The texts that files hold after one call and the next, as far as the calls say it.
struct FileTexts {
  private var texts: [String: [UInt8]] = [:]
  private var size = 0

  /// How many bytes of texts are remembered; a file that does not fit is one of which nothing is known.
  private static let limit = 64 << 20

  /// Takes note of what a call does to a file.
  /// - Returns: What the file holds afterwards; nil where the calls so far don't say it.
  mutating func text(after work: FileWork) -> [UInt8]? {
    let before = texts.removeValue(forKey: work.path)
    size -= before?.count ?? 0
    let after: [UInt8]?
    switch work.deed {
    case .write(let text): after = Array(text.utf8)
    case .edit(let replacements): after = before.flatMap { Self.replacing(replacements, in: $0) }
    case .name: after = before
    case .change, .remove: after = nil
    }
    if let after, size + after.count <= Self.limit {
      texts[work.path] = after
      size += after.count
    }
    return after
  }

  /// A text after its pieces were replaced; nil where one of them is not there, or where it can't be told which is meant.
  private static func replacing(_ replacements: [FileWork.Replacement], in text: [UInt8])
    -> [UInt8]?
  {
    var text = text
    for replacement in replacements {
      let old = Array(replacement.old.utf8)
      let places = text.places(of: old)
      guard !places.isEmpty, replacement.isEverywhere || places.count == 1 else { return nil }
      var changed: [UInt8] = []
      var start = 0
      for place in places {
        changed += text[start..<place]
        changed += replacement.new.utf8
        start = place + old.count
      }
      text = changed + text[start...]
    }
    return text
  }
}

extension [UInt8] {
  /// Where a piece begins, without those that overlap one before.
  fileprivate func places(of piece: [UInt8]) -> [Int] {
    guard let first = piece.first, piece.count <= count else { return [] }
    var places: [Int] = []
    var start = 0
    while start <= count - piece.count {
      if self[start] == first, self[start..<(start + piece.count)].elementsEqual(piece) {
        places.append(start)
        start += piece.count
      } else {
        start += 1
      }
    }
    return places
  }
}
