import Files

/// Where a command's output goes, and how it may look there.
public struct Terminal: Sendable {
  let output: @Sendable (String) throws -> Void
  let error: @Sendable (String) throws -> Void
  /// Whether the output may be coloured and shaped for a person.
  let isStyled: Bool

  /// Writes through these functions, in colours only where a person reads them.
  public init(
    isStyled: Bool, output: @escaping @Sendable (String) throws -> Void,
    error: @escaping @Sendable (String) throws -> Void
  ) {
    self.isStyled = isStyled
    self.output = output
    self.error = error
  }

  /// The process's own streams; plain when they are no terminal, or `NO_COLOR` or a dumb terminal asks for it.
  public static func standard(environment: [String: String]) -> Terminal {
    let wantsPlain = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    return Terminal(
      isStyled: StandardStream.output.isTerminal && !wantsPlain && environment["TERM"] != "dumb",
      output: { try StandardStream.output.write($0) }, error: { try StandardStream.error.write($0) }
    )
  }

  /// Writes a line of what was asked for.
  func line(_ text: String = "") throws { try output(text + "\n") }

  /// Writes a line about the work itself.
  func note(_ text: String) throws { try error(Self.printable(text) + "\n") }

  /// The text in a style, where there are styles.
  func styled(_ text: String, _ style: Style) -> String {
    isStyled ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  enum Style: String {
    case strong = "1"
    case faint = "2"
    case good = "32"
    case bad = "31"
    case heading = "1;33"
    case code = "36"
  }

  /// Text from a conversation or a file system without what would steer a terminal or turn its text around.
  static func printable(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x0A, 0x09: result.append(scalar)
      case 0..<0x20: result.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
      case 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF:
        result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}
