/// The folder of a path, before a name.
extension MentionScan {
  private var units: [SpelledText.Unit] { text.units }

  /// A folder that a text spells before a name, and the attachments whose references have it.
  struct Folder {
    let start: Int
    let subjects: [Int]
    /// Tells whether the text spells a reference's whole folder, and not only the end of it.
    let isWhole: Bool
  }

  /// Returns the start of a `./` before a name; nil if there is none.
  func hereFolder(before start: Int) -> Int? {
    guard start > 1, units[start - 2].code == .dot, start == 2 || isOpen(start - 3) else {
      return nil
    }
    return start - 2
  }

  /// Finds the folder of a reference that a text spells before a name, comparing from the last slash to the left.
  func folder(before start: Int, of bucket: ReferenceTable.Bucket) -> Folder? {
    var prefix = bucket.folders.all
    var index = start
    var found: Folder?
    let limit = ReferenceTable.candidates
    while true {
      if index < start {
        if let whole = bucket.folders.whole(prefix), let begin = beginOfPath(index) {
          found = Folder(
            start: begin, subjects: bucket.subjectsOfFolder[whole], isWhole: true)
        } else if found?.isWhole != true, units[index].code != .slash,
          index == 0 || isOpen(index - 1),
          !continuesPath(index)
        {
          // The path in the text begins here, so it may be the end of the references that continue with a slash.
          var longer = prefix
          if bucket.folders.narrow(&longer, by: .slash) {
            let subjects = longer.names.prefix(limit + 1).flatMap {
              bucket.subjectsOfFolder[$0].prefix(limit + 1)
            }
            found = Folder(start: index, subjects: subjects, isWhole: false)
          }
        }
      }
      guard index > 0, bucket.folders.narrow(&prefix, by: units[index - 1].code) else {
        return found
      }
      index -= 1
    }
  }

  /// Returns the start of a path into a store's cache; nil if the path is not one.
  ///
  /// The part before the cache folder is the place where the store once was, so it is not compared.
  func beginOfCopy(before start: Int) -> Int? {
    var cache = start
    guard take(Self.cache, before: &cache) else { return nil }
    guard cache > 0 else { return cache }
    guard units[cache - 1].code == .slash else { return isOpen(cache - 1) ? cache : nil }
    let word = beginOfWord(cache)
    if let begin = beginning(in: word..<cache) { return begin }
    // Folder names may contain spaces, so the path may begin some words earlier.
    let limit = max(0, start - ReferenceTable.limit)
    var first = word
    while first > limit, units[first - 1].code == .space {
      let end = first - 1
      first = beginOfWord(end)
      let name = units[first..<end].reversed().prefix { $0.code != .slash }
      if name.contains(where: { $0.code.isOne(of: ".,;:!?") }) { break }
      if let begin = beginning(in: first..<end) { return begin }
    }
    return word
  }

  /// Returns the start of a run without spaces, quotes and open brackets.
  private func beginOfWord(_ end: Int) -> Int {
    var begin = end
    var closed = 0
    while begin > 0 {
      let before = units[begin - 1]
      if !before.isEncoded {
        if before.isQuote || before.code.isOne(of: " <>|=,;") { break }
        if before.code.isOne(of: ")]}") { closed += 1 }
        if before.code.isOne(of: "([{") {
          if closed == 0 { break }
          closed -= 1
        }
      }
      begin -= 1
    }
    return begin
  }

  /// Returns the start of an absolute path or a URL in a word; nil if there is none.
  private func beginning(in word: Range<Int>) -> Int? {
    guard let first = word.first else { return nil }
    let hasScheme = [ReferencePath.file, ReferencePath.sandbox].contains { scheme in
      word.count > scheme.count && zip(units[word], scheme).allSatisfy { $0.code == $1 }
    }
    let isDrive = word.count > 1 && units[first + 1].code == .colon
    if hasScheme || isDrive || units[first].code == .tilde { return first }
    return word.first {
      units[$0].code == .slash && ($0 + 1 == word.upperBound || units[$0 + 1].code != .slash)
        && ($0 == first || units[$0 - 1].code == .colon
          || isOpen($0 - 1) && !units[$0 - 1].code.isOne(of: ")]}"))
    }
  }

  private static let cache = SpelledText.codes(StoreLayout.cache + "/")

  /// Returns the start of a path, including a scheme such as `file:` before its folder; nil in the middle of another path.
  private func beginOfPath(_ index: Int) -> Int? {
    var begin = index
    if units[index].code == .slash {
      take(ReferencePath.private, before: &begin)
      take(ReferencePath.localhost, before: &begin, if: ReferencePath.file)
      if !take(ReferencePath.file, before: &begin) { take(ReferencePath.sandbox, before: &begin) }
    } else if index + 1 < units.count, units[index + 1].code == .colon {
      take(ReferencePath.file + [.slash], before: &begin)
    }
    guard begin > 0 else { return begin }
    let before = units[begin - 1]
    if before.isEncoded || before.code.isOne(of: "/.-~%+@") { return nil }
    if units[begin].code == .slash { return before.wordClass == .word ? nil : begin }
    return before.wordClass != .none && before.wordClass == units[begin].wordClass ? nil : begin
  }

  /// Moves an index before a part of the text if the part precedes the index, and the other part precedes it in turn.
  @discardableResult
  private func take(_ part: [UInt64], before index: inout Int, if other: [UInt64] = []) -> Bool {
    let whole = other + part
    guard index >= whole.count,
      zip(units[(index - whole.count)..<index], whole).allSatisfy({
        $0.code == $1
      })
    else { return false }
    index -= part.count
    return true
  }

  /// Tells whether a path may begin after a unit.
  private func isOpen(_ index: Int) -> Bool {
    let unit = units[index]
    return !unit.isEncoded && unit.wordClass != .word && !unit.code.isOne(of: "/.-~%+@#&:")
  }
}

// MARK: - Unknown paths

extension MentionScan {
  /// Adds spans that look like a path or like a label of the session, and mean no attachment.
  func withUnknown(_ spans: [Span]) -> [Span] {
    var all: [Span] = []
    var index = 0
    for span in spans {
      unknown(from: index, to: span.units.lowerBound, into: &all)
      all.append(span)
      index = span.units.upperBound
    }
    unknown(from: index, to: units.count, into: &all)
    return all
  }

  private func unknown(from start: Int, to end: Int, into spans: inout [Span]) {
    var index = start
    while index < end {
      guard let last = endOfPath(index, end) ?? endOfLabel(index, end) else {
        index += 1
        continue
      }
      spans.append(
        Span(units: index..<last, meaning: .unknown, isPath: units[index].wordClass == .none))
      index = last
    }
  }

  private func endOfPath(_ start: Int, _ end: Int) -> Int? {
    var first = start
    for scheme in [ReferencePath.file, ReferencePath.sandbox]
    where end - start > scheme.count
      && zip(units[start..<(start + scheme.count)], scheme).allSatisfy({ $0.code == $1 })
    {
      first = start + scheme.count
    }
    if first + 1 < end, units[first].code == .tilde || units[first + 1].code == .colon {
      first += units[first].code == .tilde ? 1 : 2
    }
    guard first + 1 < end, units[first].code == .slash, units[first + 1].wordClass != .none,
      start == 0 || isOpen(start - 1)
    else { return nil }
    var index = first
    var slashes = 0
    var lastDot = first
    while index < end,
      units[index].isEncoded
        || (units[index].code != .space && !units[index].isQuote
          && !units[index].code.isOne(of: "<>()[]{}|"))
    {
      if units[index].code == .slash { slashes += 1 }
      if units[index].code == .dot { lastDot = index }
      index += 1
    }
    while units[index - 1].code.isOne(of: ".,;:!?") { index -= 1 }
    return slashes > 1 || (lastDot > first && lastDot < index - 1) ? index : nil
  }

  private func endOfLabel(_ start: Int, _ end: Int) -> Int? {
    guard start == 0 || isLeftEdge(start), units[start].wordClass != .none else { return nil }
    var index = start
    var stem: [UInt64] = []
    while index < end, index - start < 64, units[index].wordClass != .none,
      !units[index].code.isDigit
    {
      stem.append(units[index].code)
      index += 1
    }
    guard index < end, units[index].code.isDigit, table.stems.contains(stem) else { return nil }
    while index < end, units[index].code.isDigit { index += 1 }
    return index == units.count || isRightEdge(index) ? index : nil
  }
}
