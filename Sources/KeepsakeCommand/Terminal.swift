import KeepsakeFiles
import Keepsake

/// The input and output of a command, with the abilities of the terminal.
package struct Terminal: Sendable {
  private(set) var output: @Sendable ([UInt8]) throws -> Void
  private(set) var error: @Sendable (String) throws -> Void
  /// Reads the next bytes of standard input; an empty array at the end.
  let input: @Sendable () throws -> [UInt8]
  /// Whether the output goes to a terminal, and not to a file or another program.
  let isTerminal: Bool
  /// Whether the output may have colours and formatting.
  let isStyled: Bool
  /// The most columns of a line; nil without a limit.
  private(set) var width: Int?
  /// The number of visible lines; nil if output can't be overwritten.
  private(set) var height: Int?
  /// Whether a person sees the progress of the work.
  let showsProgress: Bool
  /// Whether a person can be asked and can answer.
  let canAsk: Bool
  /// Starts a pager; nil if there is none.
  var startPager: (@Sendable () throws -> Pager)?
  /// Takes the process's streams for a talk with a program; nil where there are none but ``input`` and ``output``.
  var takeTalk: (@Sendable () throws -> Talk)?
  /// Returns the seconds by which the person's clock is ahead of UTC at a time in seconds since 1970.
  ///
  /// Nil if times are shown in UTC.
  let secondsAhead: (@Sendable (Int64) -> Int)?

  /// Creates a terminal from functions for reading and writing.
  ///
  /// - Parameters:
  ///   - isTerminal: Whether the output goes to a terminal.
  ///   - isStyled: Whether the output may have colours and formatting.
  ///   - width: The most columns of a line; nil without a limit.
  ///   - height: The number of visible lines; nil if output can't be overwritten.
  ///   - showsProgress: Whether a person sees the progress of the work.
  ///   - canAsk: Whether a person can be asked.
  ///   - secondsAhead: The seconds by which the person's clock is ahead of UTC at a time; nil to show times in UTC.
  ///   - output: Writes the result of a command.
  ///   - error: Writes messages.
  ///   - input: Reads the next bytes of standard input; an empty array at the end.
  package init(
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

  /// Makes the terminal for the process's own streams; it is plain for files, `NO_COLOR`, and dumb terminals.
  ///
  /// - Parameters:
  ///   - environment: The environment variables, which describe the terminal.
  ///   - paging: A closure that is called with true when a pager takes the terminal, and with false when it ends.
  /// - Returns: The terminal.
  package static func standard(
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
    terminal.takeTalk = { try ownTalk() }
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

  /// The least width that is assumed, because some terminals report a width of zero.
  private static let narrowest = 40
  private static let lowest = 5

  /// This terminal, but writing throws if the task is cancelled.
  var cancellable: Terminal {
    let output = output
    return writing { bytes in
      try Task.checkCancellation()
      try output(bytes)
    }
  }

  /// Returns the same terminal with a margin before each line.
  func indented(by margin: String) -> Terminal {
    let output = output
    var terminal = writing { try output(Array(margin.utf8) + $0) }
    terminal.width = width.map { $0 - margin.count }
    return terminal
  }

  /// Returns the same terminal with other functions for output, and perhaps for messages.
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
  /// Writes a line of the command's result.
  func line(_ text: String = "") throws { try output(Array((text + "\n").utf8)) }

  /// Writes a message about the work itself.
  func note(_ text: String) throws { try error(Self.printable(text) + "\n") }

  /// Asks a person, and waits for the answer; any answer other than yes counts as no.
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

  /// Shows the progress in place of the last one; an empty text removes it.
  func progress(_ text: String) throws {
    guard showsProgress else { return }
    let line = Self.printable(text).split(whereSeparator: \.isNewline).joined(separator: " ")
    try error("\r\u{1B}[K" + line.fitting(width ?? 80))
  }

  /// Runs a body that tells how far it is, and shows that ten times a second at the most, until the body ends.
  ///
  /// A failure to show the progress does not end the body.
  func showing<Step, Result>(
    _ words: @escaping @Sendable (Step) -> String,
    _ body: (@escaping @Sendable (Step) -> Void) async throws -> Result
  ) async throws -> Result {
    let shown = Locked(Instant.now)
    do {
      let result = try await body { step in
        let isDue = shown.withLock { last in
          guard last.advanced(by: .milliseconds(100)) < .now else { return false }
          last = .now
          return true
        }
        if isDue { try? progress(words(step)) }
      }
      try progress("")
      return result
    } catch {
      try? progress("")
      throw error
    }
  }

  /// Prints names with their values, and folds long values.
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

  /// Returns the text in a style, if the terminal has styles.
  func styled(_ text: String, _ style: Style) -> String {
    isStyled && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// The styles of text, by their codes in escape sequences.
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
  /// Returns text without characters that steer a terminal, change the order of reading, or are invisible.
  ///
  /// Such characters are replaced: control characters by their Unicode pictures, and others by their numbers.
  static func printable(_ text: some StringProtocol) -> String {
    if text.utf8.allSatisfy(VisibleScalars.isPlain) { return String(text) }
    var result = String.UnicodeScalarView()
    var scalars = VisibleScalars()
    for scalar in text.unicodeScalars { scalars.append(scalar) { result.append(visible: $0) } }
    scalars.finish { result.append(visible: $0) }
    return String(result)
  }

  /// Returns printable text in which each run of blanks and line breaks is a single blank.
  static func oneLine(_ text: some StringProtocol) -> String {
    printable(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
  }

  /// Returns equivalent JSON in which characters that steer a terminal or are invisible are escaped; they occur in strings
  /// only.
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
    // A carriage return would move to the start of the line, and overwrite it.
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
  /// The Unicode picture of a control character; nil for other characters.
  fileprivate var picture: Unicode.Scalar? {
    switch value {
    case 0..<0x20: Unicode.Scalar(0x2400 + value)
    case 0x7F: "\u{2421}"
    default: nil
    }
  }
}
