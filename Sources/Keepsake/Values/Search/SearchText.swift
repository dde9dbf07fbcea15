import KeepsakeFiles

/// Cuts text into tokens for the full-text index, because SQLite's tokenizers find neither 藍色 in running text nor été as ete.
///
/// The result is a list of tokens with single spaces between them. A token is:
/// - a run of letters, digits and the marks of their script: `GenerateImage` is one token, `image_1` is two;
/// - a single character of a script without spaces between words: Chinese characters, Hiragana, Katakana, Thai, Lao, Khmer,
///   Myanmar. Hangul has words.
///
/// Tokens are folded:
/// - case is removed, with full folding: ß is ss, ς is σ;
/// - compatibility forms are replaced: Ｆｕｌｌ is full, ﬁ is fi, ① is 1, ｶﾞ is ガ;
/// - Latin and Greek letters lose their marks, and their strokes and ligatures: é is e, ø is o, æ is ae;
/// - Cyrillic letters lose their marks (ё is е), except where the mark makes another letter: й, ў, ї, ѓ, ќ;
/// - other scripts keep their marks. Decomposed and composed text give the same tokens.
///
/// The index must not cut these tokens further, which `tokenizer` ensures.
enum SearchText {
  /// The version of the tokens, stored with each document; documents of another version are indexed again.
  ///
  /// The version also stands for the selection in `EntryText`, because a word can be removed from the index only by its exact
  /// form.
  static let version = 2

  /// The FTS5 tokenizer for the column, which splits at ASCII spaces and signs, and nowhere else.
  ///
  /// `unicode61` would cut tokens again where its tables of 2012 know no letter: in the vowel signs of Hindi, in newer scripts,
  /// and in all of CJK extension E.
  static let tokenizer = "ascii"

  /// Returns the tokens of a text, as they go into the index.
  static func indexed(_ text: String) -> String {
    String(decoding: tokens(of: text), as: UTF8.self)
  }

  /// Returns the tokens of a text as bytes.
  static func tokens(of text: String) -> [UInt8] {
    tokens(of: Array(text.utf8))
  }

  /// Returns the tokens of a UTF-8 text as bytes.
  static func tokens(of text: [UInt8]) -> [UInt8] {
    var sink = SearchTokenizer<JoinedTokens>.tokens(of: text, into: JoinedTokens(text.count))
    if sink.bytes.last == 0x20 { sink.bytes.removeLast() }
    return sink.bytes
  }
}

/// Tokens, each followed by a space.
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

  /// Appends eight characters at a time, which is several times as fast as one by one.
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
      // This sink does not need the exact places of tokens in the source.
      token = OpenToken(start: isInside ? stretch.lowerBound : nil, end: index)
    }
    appendEach(ascii: index..<stretch.upperBound, of: text, folding: letters, token: &token)
  }
}
