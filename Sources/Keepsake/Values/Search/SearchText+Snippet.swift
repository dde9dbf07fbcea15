import KeepsakeFiles

extension SearchText {
  /// Returns the first part of a text that contains most of the searched terms, on one line.
  ///
  /// The snippet is cut between words, with … where something was left out. Without a hit it is the beginning of the text. If
  /// all terms stand together, the rest of the text is not read.
  /// - Parameters:
  ///   - source: The original text, in UTF-8.
  ///   - query: The query.
  ///   - width: About how many characters to show; a hit is never cut, however long it is.
  /// - Returns: The snippet, and the ranges of the hits in it, as UTF-8 offsets.
  static func snippet(
    of source: [UInt8], matching query: SearchQuery, width: Int = 160
  ) -> (text: String, ranges: [Range<Int>]) {
    let width = max(width, 1)
    var read = 1024
    while true {
      let end = endOfStretch(source, near: read)
      let piece = end < source.count ? Array(source[..<end]) : source
      let tokens = SearchTokenizer<PlacedTokens>.tokens(of: piece, into: PlacedTokens(end))
      let hits = hits(in: tokens, query: query)
      let (cluster, terms) = cluster(
        over: piece, hits: hits, of: query.required.count, width: width)
      // The text that is shown after the hits must be read as well, so that no word is cut and no hit is missed.
      let isEnough =
        terms == query.required.count && advance(piece, from: cluster.upperBound, by: width) < end
      guard isEnough || end == source.count else {
        read = end * 4
        continue
      }
      let window = window(over: source, tokens: tokens.places, around: cluster, width: width)
      return render(source, window: window, hits: merged(hits.map(\.range)))
    }
  }

  /// Returns the end of a stretch of about a number of bytes, at a blank, so that no token is cut.
  private static func endOfStretch(_ source: [UInt8], near count: Int) -> Int {
    guard count < source.count else { return source.count }
    return source[count...].firstIndex { $0.isBlank } ?? source.count
  }

  /// An occurrence of a searched term in the text.
  private struct Hit {
    let term: Int
    let range: Range<Int>
  }

  private static func hits(in tokens: PlacedTokens, query: SearchQuery) -> [Hit] {
    var hits: [Hit] = []
    for (number, term) in query.required.enumerated() {
      let wanted = Array(term.tokens.utf8) + (term.isPrefix ? [] : [0x20])
      let words = term.tokens.utf8.reduce(1) { $0 + ($1 == 0x20 ? 1 : 0) }
      tokens.forEach(beginningWith: wanted) { first in
        let range =
          tokens.places[first].source
          .lowerBound..<tokens.places[first + words - 1].source.upperBound
        hits.append(Hit(term: number, range: range))
      }
    }
    return hits.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// Joins overlapping ranges, which must be in order.
  private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var merged: [Range<Int>] = []
    for range in ranges {
      if let last = merged.last, range.lowerBound < last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    return merged
  }

  /// Returns the range of the hits to show: the first that has the most different terms within the width.
  private static func cluster(
    over source: [UInt8], hits: [Hit], of terms: Int, width: Int
  ) -> (range: Range<Int>, terms: Int) {
    var cluster = 0..<0
    var best = 0
    var counts = [Int](repeating: 0, count: terms)
    var different = 0
    var last = 0
    for first in hits.indices {
      let room = advance(source, from: hits[first].range.lowerBound, by: width)
      while last < hits.count, last == first || hits[last].range.upperBound <= room {
        counts[hits[last].term] += 1
        if counts[hits[last].term] == 1 { different += 1 }
        last += 1
      }
      if different > best {
        best = different
        let end = hits[first..<last].map(\.range.upperBound).max() ?? 0
        cluster = hits[first].range.lowerBound..<end
      }
      counts[hits[first].term] -= 1
      if counts[hits[first].term] == 0 { different -= 1 }
    }
    return (cluster, best)
  }

  /// Returns the bytes to show: the cluster, and as many whole tokens around it as there is room for.
  private static func window(
    over source: [UInt8], tokens: [PlacedTokens.Place], around cluster: Range<Int>, width: Int
  ) -> Range<Int> {
    guard !cluster.isEmpty else {
      return
        0..<cut(source, tokens: tokens, near: advance(source, from: 0, by: width), isStart: false)
    }
    let room = max(width - count(source, cluster), 0)
    let start = retreat(source, from: cluster.lowerBound, by: room / 2)
    // Room that is not used before the cluster goes to the part after it, and the other way round.
    let end = advance(
      source, from: cluster.upperBound, by: room - count(source, start..<cluster.lowerBound))
    let unused =
      room - count(source, start..<cluster.lowerBound) - count(source, cluster.upperBound..<end)
    let lower = cut(
      source, tokens: tokens, near: retreat(source, from: start, by: unused), isStart: true)
    let upper = cut(source, tokens: tokens, near: end, isStart: false)
    return min(lower, cluster.lowerBound)..<max(upper, cluster.upperBound)
  }

  /// Moves a border out of the middle of a token, towards the inside of the window.
  private static func cut(
    _ source: [UInt8], tokens: [PlacedTokens.Place], near offset: Int, isStart: Bool
  ) -> Int {
    // A binary search for the first token that ends after the border.
    var low = 0
    var high = tokens.count
    while low < high {
      let middle = (low + high) / 2
      if tokens[middle].source.upperBound > offset { high = middle } else { low = middle + 1 }
    }
    guard low < tokens.count, tokens[low].source.lowerBound < offset else { return offset }
    // A single word that is wider than the window has to be cut nevertheless.
    if !isStart, tokens[low].source.lowerBound == 0 { return offset }
    return isStart ? tokens[low].source.upperBound : tokens[low].source.lowerBound
  }

  private static func render(
    _ source: [UInt8], window: Range<Int>, hits: [Range<Int>]
  ) -> (text: String, ranges: [Range<Int>]) {
    var window = window
    while let first = source[window].first, first.isBlank {
      window = window.lowerBound + 1..<window.upperBound
    }
    while let last = source[window].last, last.isBlank {
      window = window.lowerBound..<window.upperBound - 1
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(window.count + 6)
    var ranges: [Range<Int>] = []
    if source[..<window.lowerBound].contains(where: { !$0.isBlank }) { bytes += "…".utf8 }
    var visible = hits.filter {
      window.contains($0.lowerBound) && $0.upperBound <= window.upperBound
    }[...]
    var hit = visible.popFirst()
    var start = 0
    var last: UInt8 = 0
    for offset in window {
      if offset == hit?.lowerBound { start = bytes.count }
      let byte = source[offset]
      let shown = byte.isBlank ? 0x20 : byte
      if shown != 0x20 || last != 0x20 { bytes.append(shown) }
      last = shown
      if offset + 1 == hit?.upperBound {
        ranges.append(start..<bytes.count)
        hit = visible.popFirst()
      }
    }
    if source[window.upperBound...].contains(where: { !$0.isBlank }) { bytes += "…".utf8 }
    return (String(decoding: bytes, as: UTF8.self), ranges)
  }
}

/// Distances in characters (Unicode scalars), in valid UTF-8.
extension SearchText {
  private static func isStart(_ byte: UInt8) -> Bool { byte & 0xC0 != 0x80 }

  private static func count(_ source: [UInt8], _ range: Range<Int>) -> Int {
    source[range].reduce(0) { $0 + (isStart($1) ? 1 : 0) }
  }

  private static func advance(_ source: [UInt8], from offset: Int, by count: Int) -> Int {
    var (offset, left) = (offset, count)
    while offset < source.count {
      if isStart(source[offset]) {
        if left == 0 { break }
        left -= 1
      }
      offset += 1
    }
    return offset
  }

  private static func retreat(_ source: [UInt8], from offset: Int, by count: Int) -> Int {
    var (offset, left) = (offset, count)
    while offset > 0, left > 0 {
      offset -= 1
      if isStart(source[offset]) { left -= 1 }
    }
    return offset
  }
}

/// Tokens, each followed by a space, with their places in the source.
private struct PlacedTokens: SearchTokenSink {
  /// The place of one token.
  struct Place {
    /// The end of the token and its space in `bytes`; the token begins at the end of the token before.
    let end: Int
    let source: Range<Int>
  }

  private var bytes: [UInt8] = []
  private(set) var places: [Place] = []

  init(_ capacity: Int) {
    bytes.reserveCapacity(capacity)
    places.reserveCapacity(capacity / 4)
  }

  /// Passes the index of each token at which the given bytes begin to a closure.
  func forEach(beginningWith wanted: [UInt8], _ body: (Int) -> Void) {
    let (bytes, places, wanted) = (bytes.span, places.span, wanted.span)
    var start = 0
    for index in places.indices {
      // Most tokens differ in the first byte.
      if bytes[start] == wanted[0], start + wanted.count <= bytes.count {
        var length = 1
        while length < wanted.count, bytes[start + length] == wanted[length] { length += 1 }
        if length == wanted.count { body(index) }
      }
      start = places[index].end
    }
  }

  mutating func append(_ byte: UInt8) {
    bytes.append(byte)
  }

  mutating func endToken(source: Range<Int>) {
    bytes.append(0x20)
    places.append(Place(end: bytes.count, source: source))
  }

  /// Appends eight characters at a time, with the same result as the tokens for the index.
  mutating func append(
    ascii stretch: Range<Int>, of text: Span<UInt8>, folding letters: Span<UInt8>,
    token: inout OpenToken
  ) {
    var index = stretch.lowerBound
    if stretch.count >= 8 {
      // The bytes are taken out of the property, because `places` is changed while a span into the bytes exists.
      var written: [UInt8] = []
      swap(&written, &bytes)
      var count = written.count
      written.append(zeros: stretch.count)
      var start = token.start
      var span = written.mutableSpan
      var room = span.mutableBytes
      while index + 8 <= stretch.upperBound {
        let word = FoldedASCII(JSONWord.load(text.bytes, at: index))
        let idle = word.idleSigns(isInside: start != nil)
        // A border is a place where a word begins or ends.
        var borders = word.letters ^ (word.letters << 8 | (start == nil ? 0 : 0x80))
        while borders != 0 {
          let bit = borders.trailingZeroBitCount
          let place = bit >> 3
          if let first = start {
            let leftOut = (idle & (1 << bit &- 1)).nonzeroBitCount
            let end = count + place - leftOut + 1
            places.append(Place(end: end, source: first..<index + place))
            start = nil
          } else {
            start = index + place
          }
          borders &= borders - 1
        }
        word.write(to: &room, at: &count, without: idle)
        index += 8
      }
      written.removeLast(written.count - count)
      swap(&written, &bytes)
      token = OpenToken(start: start, end: index)
    }
    appendEach(ascii: index..<stretch.upperBound, of: text, folding: letters, token: &token)
  }
}
