/// The places where a name can begin and end.
extension MentionScan {
  private var units: [SpelledText.Unit] { text.units }

  func isLeftEdge(_ index: Int) -> Bool {
    guard index > 0 else { return true }
    let before = units[index - 1]
    if before.code == .slash { return true }
    if before.isEncoded || before.code.isOne(of: "%") { return false }
    let here = units[index].wordClass
    if before.wordClass != .none, here == .none || here == before.wordClass { return false }
    if before.code.isOne(of: ".-"), index > 1, units[index - 2].wordClass != .none { return false }
    return true
  }

  func isRightEdge(_ index: Int) -> Bool {
    guard index < units.count else { return true }
    let next = units[index]
    let last = units[index - 1].wordClass
    if next.isEncoded || next.code.isOne(of: "/%") { return false }
    if next.wordClass != .none, last == .none || last == next.wordClass { return false }
    if next.code.isOne(of: ".-~@+"), index + 1 < units.count, units[index + 1].wordClass != .none {
      return false
    }
    return true
  }

  /// Tells whether quotes, brackets or the ends of the text stand on both sides of a name.
  func isSetApart(_ name: Range<Int>) -> Bool {
    let before = name.lowerBound > 0 ? units[name.lowerBound - 1] : nil
    let after = name.upperBound < units.count ? units[name.upperBound] : nil
    let isDestination =
      before?.code.isOne(of: "(") == true && name.lowerBound > 1
      && units[name.lowerBound - 2].code.isOne(of: "]")
    guard let before else { return after == nil }
    guard before.isQuote || before.code.isOne(of: "<[=") || isDestination else { return false }
    guard let after else { return true }
    return after.isQuote || after.code.isOne(of: ">])") || (isDestination && after.code == .space)
  }

  /// Tells whether a space before a name belongs to a path that began earlier, as in `/tmp/green banana.png`.
  func continuesPath(_ start: Int) -> Bool {
    guard start > 1, units[start - 1].code == .space else { return false }
    var index = start - 2
    let limit = max(0, start - 256)
    var hasSlash = false
    while index >= limit, units[index].code != .space, !units[index].isQuote,
      !units[index].code.isOne(of: "<>()[]")
    {
      // A dot or punctuation in the last part means that the path has ended there.
      if !hasSlash, units[index].code.isOne(of: ".,;:!?") { return false }
      if units[index].code == .slash { hasSlash = true }
      index -= 1
    }
    guard hasSlash else { return false }
    let first = units[index + 1].code
    return first == .slash || first == .tilde
      || units[(index + 1)..<start].contains { $0.code == .colon }
  }

  /// Returns the end of a query and a fragment after a name.
  func endOfQuery(_ end: Int, isPath: Bool) -> Int {
    guard end + 1 < units.count, units[end].code.isOne(of: "?#"),
      units[end + 1].wordClass != .none
    else { return end }
    var index = end + 1
    var hasValue = false
    while index < units.count,
      units[index].wordClass != .none || units[index].code.isOne(of: "-._~%=&+;:@,/!$*?#")
    {
      if units[index].code.isOne(of: "=") { hasValue = true }
      index += 1
    }
    while units[index - 1].code.isOne(of: ".,;:!?") { index -= 1 }
    return isPath || hasValue ? index : end
  }
}

extension SpelledText.Unit {
  private static let quotes = Set("“”„‟‘’‚‛«»‹›「」『』".map { SpelledText.codes(String($0))[0] })

  var isQuote: Bool { code.isOne(of: "\"'`") || Self.quotes.contains(code) }
}
