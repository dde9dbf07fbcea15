import KeepsakeFiles
import Keepsake

/// Where a command's output goes, how it may look there, and what it is given to read.
public struct Terminal: Sendable {
  private(set) var output: @Sendable ([UInt8]) throws -> Void
  private(set) var error: @Sendable (String) throws -> Void
  /// The bytes on standard input that come next; none at the end.
  let input: @Sendable () throws -> [UInt8]
  /// Whether a person reads the output, and not a file or another program.
  let isTerminal: Bool
  /// Whether the output may be coloured and shaped for a person.
  let isStyled: Bool
  /// How many columns a line may have; nil where it may have any.
  private(set) var width: Int?
  /// How many lines are seen at once; nil where what is written can't be written over.
  private(set) var height: Int?
  /// Whether a person sees what is said of the work while it goes on.
  let showsProgress: Bool
  /// Whether a person is there to be asked, and to answer.
  let canAsk: Bool
  /// Starts what shows text a page at a time; nil where nothing does.
  var startPager: (@Sendable () throws -> Pager)?
  /// By how many seconds the person's clock is ahead of UTC at a time, in seconds since 1970; nil where times are
  /// shown in UTC.
  let secondsAhead: (@Sendable (Int64) -> Int)?

  /// Reads and writes through these functions, in colours and folded lines only where a person reads them.
  public init(
    isTerminal: Bool = false, isStyled: Bool = false, width: Int? = nil, height: Int? = nil,
    showsProgress: Bool = false, canAsk: Bool = false,
    secondsAhead: (@Sendable (Int64) -> Int)? = nil,
    output: @escaping @Sendable ([UInt8]) throws -> Void,
    error: @escaping @Sendable (String) throws -> Void,
    input: @escaping @Sendable () throws -> [UInt8] = { [] }
  ) {
    self.isTerminal = isTerminal
    self.isStyled = isStyled
    self.width = width
    self.height = height
    self.showsProgress = showsProgress
    self.canAsk = canAsk
    self.secondsAhead = secondsAhead
    self.output = output
    self.error = error
    self.input = input
  }

  /// The process's own streams; plain when they are no terminal, or `NO_COLOR` or a dumb terminal asks for it.
  /// - Parameters:
  ///   - environment: What says how the terminal is.
  ///   - paging: Told when a pager has the terminal, and when it has no more.
  public static func standard(
    environment: [String: String], paging: @escaping @Sendable (Bool) -> Void = { _ in }
  ) -> Terminal {
    let wantsPlain = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    let isDumb = environment["TERM"].map { $0.isEmpty || $0 == "dumb" } ?? true
    let isTerminal = StandardStream.output.isTerminal
    let size = StandardStream.output.size
    let columns = size?.columns ?? environment["COLUMNS"].flatMap { Int($0) }
    let rows = size?.rows ?? environment["LINES"].flatMap { Int($0) }
    let ahead: @Sendable (Int64) -> Int = { LocalClock.secondsAhead(at: $0) }
    var terminal = Terminal(
      isTerminal: isTerminal, isStyled: isTerminal && !wantsPlain && !isDumb,
      width: isTerminal ? max(narrowest, columns ?? 80) : nil,
      height: isTerminal && !isDumb ? max(lowest, rows ?? 24) : nil,
      showsProgress: StandardStream.error.isTerminal && !isDumb,
      canAsk: StandardInput.isTerminal && StandardStream.error.isTerminal,
      secondsAhead: isTerminal ? ahead : nil,
      output: { try StandardStream.output.write($0) },
      error: { try StandardStream.error.write(Array($0.utf8)) },
      input: { try StandardInput.read() })
    if isTerminal, !isDumb, let command = pagerCommand(environment) {
      terminal.startPager = {
        let process = try PagerProcess(command, environment: pagerEnvironment(environment))
        paging(true)
        return Pager(
          write: { try process.write($0) },
          finish: {
            process.finish()
            paging(false)
          })
      }
    }
    return terminal
  }

  /// What is narrower is laid out as if it were so wide: some terminals say that they have no columns at all.
  private static let narrowest = 40
  private static let lowest = 5

  /// The same terminal, where what is written ends with the task that writes it.
  var cancellable: Terminal {
    let output = output
    return writing { bytes in
      try Task.checkCancellation()
      try output(bytes)
    }
  }

  /// The same terminal, with something before each line of what is written there.
  func indented(by margin: String) -> Terminal {
    let output = output
    var terminal = writing { try output(Array(margin.utf8) + $0) }
    terminal.width = width.map { $0 - margin.count }
    return terminal
  }

  /// The same terminal, but that somebody else takes what is written, and perhaps what is said beside it.
  func writing(
    _ output: @escaping @Sendable ([UInt8]) throws -> Void,
    note: (@Sendable (String) throws -> Void)? = nil
  ) -> Terminal {
    var terminal = self
    terminal.output = output
    if let note { terminal.error = note }
    return terminal
  }
}

extension Terminal {
  /// Writes a line of what was asked for.
  func line(_ text: String = "") throws { try output(Array((text + "\n").utf8)) }

  /// Writes a line about the work itself.
  func note(_ text: String) throws { try error(Self.printable(text) + "\n") }

  /// Asks a person, and waits for the answer; what is no yes is a no.
  func agrees(to question: String) throws -> Bool {
    try error("\(Self.printable(question)) [y/N] ")
    var answer: [UInt8] = []
    while !answer.contains(UInt8(ascii: "\n")) {
      let piece = try input()
      if piece.isEmpty { break }
      answer += piece
    }
    let word = String(decoding: answer, as: UTF8.self).split(whereSeparator: \.isWhitespace).first
    return word.map { ["y", "yes"].contains($0.lowercased()) } ?? false
  }

  /// Shows how far the work is, in place of what was shown before; an empty text takes it away.
  func progress(_ text: String) throws {
    guard showsProgress else { return }
    let line = Self.printable(text).split(whereSeparator: \.isNewline).joined(separator: " ")
    try error("\r\u{1B}[K" + line.fitting(width ?? 80))
  }

  /// Prints names and what is to be said of each, folded where it is long.
  func facts(_ facts: [(name: String, value: String)]) throws {
    let names = facts.map(\.name.columns).max() ?? 0
    for (name, value) in facts {
      let room = width.map { $0 - names - 2 }
      for (index, line) in Self.oneLine(value).folded(to: room).enumerated() {
        let head = (index == 0 ? name : "").padded(to: names)
        try self.line("\(styled(head, .faint))  \(line)")
      }
    }
  }

  /// The text in a style, where there are styles.
  func styled(_ text: String, _ style: Style) -> String {
    isStyled && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  enum Style: String {
    case strong = "1"
    case faint = "2"
    case good = "32"
    case bad = "31"
    case heading = "1;33"
    case code = "36"
    case mark = "1;31"
  }
}

extension Terminal {
  /// Text from a conversation or a file system without what would steer a terminal, turn its text around, or not be seen.
  ///
  /// Such characters are shown: those below the blank by their pictures, others by their numbers.
  static func printable(_ text: some StringProtocol) -> String {
    if text.utf8.allSatisfy(VisibleScalars.isPlain) { return String(text) }
    var result = String.UnicodeScalarView()
    var scalars = VisibleScalars()
    for scalar in text.unicodeScalars { scalars.append(scalar) { result.append(visible: $0) } }
    scalars.finish { result.append(visible: $0) }
    return String(result)
  }

  /// The same, with each run of blanks and line breaks as one blank.
  static func oneLine(_ text: some StringProtocol) -> String {
    printable(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
  }

  /// JSON that says the same, with what would steer a terminal or not be seen as escapes; it stands in strings alone.
  static func escapingControls(_ json: [UInt8]) -> [UInt8] {
    if json.allSatisfy(VisibleScalars.isPlain) { return json }
    var result: [UInt8] = []
    result.reserveCapacity(json.count)
    var scalars = VisibleScalars()
    func take(_ piece: VisibleScalars.Piece) {
      switch piece {
      case .shown(let scalar): if let units = UTF8.encode(scalar) { result += units }
      case .hidden(let hidden), .marks(let hidden):
        for scalar in hidden {
          if let units = UTF16.encode(scalar) { for unit in units { result += escape(unit) } }
        }
      }
    }
    for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
      scalars.append(scalar, take)
    }
    scalars.finish(take)
    return result
  }

  private static func escape(_ unit: UInt16) -> [UInt8] {
    let digits = String(unit, radix: 16)
    return Array("\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
  }
}

extension String.UnicodeScalarView {
  fileprivate mutating func append(visible piece: VisibleScalars.Piece) {
    switch piece {
    // It would begin the line again, and write over what stands there.
    case .shown("\r"): append("\u{240D}")
    case .shown(let scalar): append(scalar)
    case .hidden(let hidden):
      var rest = hidden[...]
      while let first = rest.first {
        let run = rest.prefix { ($0.picture == nil) == (first.picture == nil) }
        rest = rest[run.endIndex...]
        if first.picture == nil {
          append(badgesOf: .hidden(Array(run)))
        } else {
          append(contentsOf: run.compactMap(\.picture))
        }
      }
    case .marks: append(badgesOf: piece)
    }
  }

  private mutating func append(badgesOf piece: VisibleScalars.Piece) {
    for badge in piece.badges { append(contentsOf: "<\(badge.text)>".unicodeScalars) }
  }
}

extension Unicode.Scalar {
  /// The picture that Unicode has of a control character; nil for all others.
  fileprivate var picture: Unicode.Scalar? {
    switch value {
    case 0..<0x20: Unicode.Scalar(0x2400 + value)
    case 0x7F: "\u{2421}"
    default: nil
    }
  }
}
