import KeepsakeFiles

/// Prepares text for the full-text index: SQLite's tokenizers find neither 藍色 in running text nor été as ete.
///
/// The result is a list of tokens with single spaces between them. What is a token:
/// - a run of letters, digits and the marks of their script. `GenerateImage` is one token, `image_1` two;
/// - each single character of scripts that put no spaces between words: Chinese characters,
///   Hiragana, Katakana, Thai, Lao, Khmer, Myanmar. Hangul has words.
///
/// How tokens are folded:
/// - case goes, with full folding: ß is ss, ς is σ;
/// - compatibility forms go: Ｆｕｌｌ is full, ﬁ is fi, ① is 1, ｶﾞ is ガ;
/// - Latin and Greek letters lose their marks, and their strokes and ligatures: é is e, ø is o, æ is ae;
/// - Cyrillic letters lose their marks (ё is е), except those that the mark makes another letter: й, ў, ї, ѓ, ќ;
/// - other scripts keep their marks. Text in parts and composed text come out the same.
///
/// The index has to take the tokens as they are: `tokenizer` does.
enum SearchText {
  /// Stored with each document; another version means that the document has to be indexed again.
  ///
  /// It also stands for what `EntryText` takes from an entry: a word leaves the index only by being named exactly.
  static let version = 2

  /// The FTS5 tokenizer for the column: splits at ASCII's spaces and signs, and nowhere else.
  ///
  /// `unicode61` would cut our tokens once more, wherever its tables of 2012 know no letter:
  /// in the vowel signs of Hindi, in newer scripts, and in all of CJK extension E.
  static let tokenizer = "ascii"

  /// The tokens of a text, as it goes into the index.
  static func indexed(_ text: String) -> String {
    String(decoding: tokens(of: text), as: UTF8.self)
  }

  /// The same as bytes.
  static func tokens(of text: String) -> [UInt8] {
    tokens(of: Array(text.utf8))
  }

  /// The same, of a text that is at hand as UTF-8.
  static func tokens(of text: [UInt8]) -> [UInt8] {
    var sink = SearchTokenizer<JoinedTokens>.tokens(of: text, into: JoinedTokens(text.count))
    if sink.bytes.last == 0x20 { sink.bytes.removeLast() }
    return sink.bytes
  }
}

/// Tokens with a space behind each.
private struct JoinedTokens: SearchTokenSink {
  var bytes: [UInt8] = []

  init(_ capacity: Int) {
    bytes.reserveCapacity(capacity + 1)
  }

  mutating func append(_ byte: UInt8) {
    bytes.append(byte)
  }

  mutating func endToken(source: Range<Int>) {
    bytes.append(0x20)
  }

  /// Eight characters at a time: one after the other costs several times as much.
  mutating func append(
    ascii stretch: Range<Int>, of text: Span<UInt8>, folding letters: Span<UInt8>,
    token: inout OpenToken
  ) {
    var (index, count) = (stretch.lowerBound, bytes.count)
    if stretch.count >= 8 {
      bytes.append(zeros: stretch.count)
      var isInside = token.start != nil
      var span = bytes.mutableSpan
      var room = span.mutableBytes
      while index + 8 <= stretch.upperBound {
        let word = FoldedASCII(JSONWord.load(text.bytes, at: index))
        word.write(to: &room, at: &count, without: word.idleSigns(isInside: isInside))
        isInside = word.endsInLetter
        index += 8
      }
      bytes.removeLast(bytes.count - count)
      // Where in the source it stood is nothing to this sink.
      token = OpenToken(start: isInside ? stretch.lowerBound : nil, end: index)
    }
    appendEach(ascii: index..<stretch.upperBound, of: text, folding: letters, token: &token)
  }
}
