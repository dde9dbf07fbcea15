/// Finds the first place in an entry's texts that names a label, as a whole word: `image_12` does not name `image_1`.
///
/// The first label is searched for in the text. For the second, an index of all words is made, so that many labels cost one
/// more pass and not a pass each.
struct LabelPlaces {
  typealias Place = (segment: Int, range: Range<Int>)

  private let texts: [(segment: Int, text: String)]
  /// The first place of each word; nil until a second label is asked for.
  private var words: [ArraySlice<UInt8>: Place]?
  private var wasAsked = false

  init(_ entry: Entry) {
    texts = entry.segments.enumerated().compactMap { index, segment in
      segment.text.map { (index, $0) }
    }
  }

  mutating func place(of label: String) -> Place? {
    let word = Array(label.utf8)
    // A label with other characters is not in the index of words, so it is searched for.
    guard wasAsked, word.allSatisfy(\.isWordByte) else {
      wasAsked = true
      for (segment, text) in texts {
        if let range = Self.range(of: word, in: Array(text.utf8)) { return (segment, range) }
      }
      return nil
    }
    let words = words ?? Self.words(of: texts)
    self.words = words
    return words[word[...]]
  }

  private static func range(of word: [UInt8], in text: [UInt8]) -> Range<Int>? {
    guard !word.isEmpty, word.count <= text.count else { return nil }
    for start in 0...(text.count - word.count) where text[start] == word[0] {
      let end = start + word.count
      guard text[start..<end].elementsEqual(word),
        start == 0 || !text[start - 1].isWordByte, end == text.count || !text[end].isWordByte
      else { continue }
      return start..<end
    }
    return nil
  }

  private static func words(of texts: [(segment: Int, text: String)]) -> [ArraySlice<UInt8>: Place]
  {
    var words: [ArraySlice<UInt8>: Place] = [:]
    for (segment, text) in texts {
      let bytes = Array(text.utf8)
      for word in bytes.split(whereSeparator: { !$0.isWordByte })
      // No label is longer than that.
      where word.count <= 200 && words[word] == nil {
        words[word] = (segment, word.startIndex..<word.endIndex)
      }
    }
    return words
  }
}

extension UInt8 {
  fileprivate var isWordByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: self >= 0x80
    }
  }
}
