/// Searches a text for names, line by line: the leftmost name first, and of names with the same start the longest.
struct MentionScan {
  let table: ReferenceTable
  /// The position of the text's entry, whose attachments come before others with the same name.
  var position: Int?
  /// Tells whether to report text that only looks like a reference.
  var findsUnknown = false
  var text = SpelledText()

  /// A mention, with its range in the text.
  struct Found {
    var range: Range<Int>
    var meaning: Meaning
    /// Tells whether the mention is spelled as a path or with a scheme, and not only as a name.
    var isPath: Bool
  }

  /// The attachments that a mention means, by their numbers in the table.
  enum Meaning {
    case one(Int, Mention.Match)
    case several([Int])
    case unknown
  }

  init(_ table: ReferenceTable) { self.table = table }

  /// Returns the mentions in a text, in order, with ranges in its UTF-8.
  mutating func scan(_ bytes: [UInt8]) -> [Found] {
    var found: [Found] = []
    var start = 0
    while start < bytes.count {
      let limit = min(bytes.count, start + SpelledText.limit)
      let end = bytes[start..<limit].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? limit
      if end > start {
        text.read(bytes, start..<end)
        for span in spans(bytes, from: start) {
          let last = text.units[span.units.upperBound - 1].end
          found.append(
            Found(
              range: start + Int(text.units[span.units.lowerBound].start)..<start + last,
              meaning: span.meaning, isPath: span.isPath))
        }
      }
      start = end == limit && limit < bytes.count ? end : end + 1
    }
    return found
  }

  /// A mention in the current line.
  struct Span {
    var units: Range<Int>
    var meaning: Meaning
    var isPath: Bool
  }

  private func spans(_ bytes: [UInt8], from start: Int) -> [Span] {
    var spans: [Span] = []
    var index = 0
    while index < text.units.count {
      guard table.begins(text.units[index].code), isLeftEdge(index),
        let span = span(at: index, bytes, from: start)
      else {
        index += 1
        continue
      }
      // A path may begin before a name that is a part of it, and replaces it then.
      while let last = spans.last, last.units.lowerBound >= span.units.lowerBound {
        spans.removeLast()
      }
      if let last = spans.last, last.units.upperBound > span.units.lowerBound {
        index += 1
        continue
      }
      spans.append(span)
      index = span.units.upperBound
    }
    return findsUnknown ? withUnknown(spans) : spans
  }

  /// Returns the longest name from a start on that ends where a name can end, and means something.
  private func span(at start: Int, _ bytes: [UInt8], from line: Int) -> Span? {
    var prefix = table.names.all
    var ends: [(end: Int, name: Int)] = []
    var index = start
    while index < text.units.count, table.names.narrow(&prefix, by: text.units[index].code) {
      index += 1
      if let name = table.names.whole(prefix), isRightEdge(index) { ends.append((index, name)) }
    }
    for (end, name) in ends.reversed() {
      if let span = judge(table.buckets[name], start..<end, bytes, from: line) { return span }
    }
    return nil
  }

  private func judge(
    _ bucket: ReferenceTable.Bucket, _ name: Range<Int>, _ bytes: [UInt8], from line: Int
  ) -> Span? {
    var start = name.lowerBound
    var paths: [Int] = []
    var labels: [Int] = []
    var names: [Int] = []
    var isPath = false
    if !bucket.copies.isEmpty {
      guard let begin = beginOfCopy(before: start) else { return nil }
      isPath = true
      start = begin
      paths = bucket.copies
    } else if start > 0, text.units[start - 1].code == .slash {
      isPath = true
      if let dot = hereFolder(before: start) {
        start = dot
        names = bucket.files + bucket.references
      } else if let folder = folder(before: start, of: bucket) {
        start = folder.start
        if folder.isWhole { paths = folder.subjects } else { names = folder.subjects }
      } else {
        return nil
      }
    } else {
      guard bucket.isDistinctive || isSetApart(name), !continuesPath(start) else { return nil }
      labels = bucket.labels
      names = bucket.files + bucket.references
      if let whole = bucket.folders.whole(bucket.folders.all) {
        paths = bucket.subjectsOfFolder[whole]
      }
    }
    let end = endOfQuery(name.upperBound, isPath: isPath || isSetApart(name))
    let spelled =
      line + Int(text.units[start].start)..<line + text.units[end - 1].end
    let spelling = String(decoding: bytes[spelled], as: UTF8.self)
    let exact = table.exact[spelling] ?? []
    let meaning: Meaning =
      if !exact.isEmpty {
        choose(exact + labels.filter { !exact.contains($0) }, .reference)
      } else if !labels.isEmpty {
        choose(labels, .label)
      } else if !paths.isEmpty {
        choose(paths, .path)
      } else {
        choose(names, .name)
      }
    return Span(units: start..<end, meaning: meaning, isPath: isPath)
  }

  /// The most attachments that an ambiguous mention reports.
  private static let told = 16

  func choose(_ subjects: [Int], _ match: Mention.Match) -> Meaning {
    var unique: [Int] = []
    for subject in subjects.prefix(ReferenceTable.candidates) where !unique.contains(subject) {
      unique.append(subject)
    }
    // Attachments beyond the limit are not compared, so the mention counts as ambiguous.
    if subjects.count > ReferenceTable.candidates {
      return .several(Array(unique.prefix(Self.told)))
    }
    let current = unique.filter { table.subjects[$0].state != .superseded }
    if !current.isEmpty { unique = current }
    if let position {
      let here = unique.filter { table.subjects[$0].position == position }
      if !here.isEmpty { unique = here }
    }
    let artifact = table.subjects[unique[0]].artifact
    let areSame =
      unique.count == 1
      || (artifact != nil && unique.allSatisfy { table.subjects[$0].artifact == artifact })
    return areSame ? .one(unique[0], match) : .several(Array(unique.prefix(Self.told)))
  }
}
