import KeepsakeFiles

/// Follows the texts of files from call to call, as far as the calls tell them.
struct FileTexts {
  private var texts: [String: [UInt8]] = [:]
  private var size = 0

  /// The limit of all remembered texts, in bytes. A text that does not fit is forgotten.
  private static let limit = 64 << 20

  /// Applies a call to the remembered text of its file.
  /// - Returns: The text of the file after the call; nil where the calls do not tell it.
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

  /// Replaces pieces of a text; nil where a piece is not found, or is found more than once without being meant
  /// everywhere.
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
  /// The places of a piece that do not overlap.
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
