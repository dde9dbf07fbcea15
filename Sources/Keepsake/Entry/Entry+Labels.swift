extension Entry {
  /// Where its text first names a label, as a whole word: `image_1` is not named by `image_12`.
  func place(ofLabel label: String) -> (segment: Int, range: Range<Int>)? {
    for (index, segment) in segments.enumerated() {
      if let text = segment.text, let range = text.utf8Range(ofWord: label) {
        return (index, range)
      }
    }
    return nil
  }
}

extension String {
  fileprivate func utf8Range(ofWord word: String) -> Range<Int>? {
    let text = Array(utf8)
    let word = Array(word.utf8)
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
