#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Shows images in the text of terminals that can show them.
///
/// Control sequences contain nothing that a conversation could choose: no name, and only bytes that are a raster image.
struct InlineImages {
  /// The choices of when to show images.
  enum Choice: String, CaseIterable {
    /// Shows images on a terminal that is known to support them.
    case auto
    /// Shows images on any terminal.
    case always
    case never
  }

  /// The protocols with which terminals take images.
  enum Format {
    /// OSC 1337, the protocol of iTerm2 and WezTerm.
    case iTerm
    /// Kitty's graphics protocol, which Ghostty supports too, for PNG only.
    case kitty
  }

  let format: Format
  /// Whether tmux is between the command and the terminal, and has to pass the image on.
  private let isWrapped: Bool
  private let columns: Int
  private let rows: Int

  /// The assumed size of a character in pixels.
  private static let cell = (width: 8, height: 16)
  private static let mostBytes: Int64 = 8 << 20
  private static let mostPixels = 50_000_000
  /// The most base64 characters in a piece, as Kitty defines it.
  private static let piece = 4096

  /// Decides whether and how images are shown; nil if they are not shown.
  ///
  /// - Parameters:
  ///   - choice: The choice of the person.
  ///   - environment: The environment variables, in which terminals identify themselves.
  ///   - terminal: The output, which must be a terminal.
  ///   - margin: The number of columns before an image.
  init?(_ choice: Choice, environment: [String: String], terminal: Terminal, margin: Int = 0) {
    func has(_ name: String) -> Bool { environment[name].map { !$0.isEmpty } ?? false }
    // GNU screen does not pass on sequences that are as long as an image.
    guard choice != .never, terminal.isTerminal, let height = terminal.height, !has("STY") else {
      return nil
    }
    let term = environment["TERM"] ?? ""
    isWrapped = has("TMUX") || term.hasPrefix("screen") || term.hasPrefix("tmux")
    let known = Self.format(environment)
    // A program in between would swallow or print the image unless it is set up to pass it on, which only the person knows.
    guard choice == .always || known != nil && !isWrapped else { return nil }
    format = known ?? .iTerm
    columns = max(1, min(80, (terminal.width ?? 80) - margin))
    rows = max(1, min(24, height - 4))
  }

  private static func format(_ environment: [String: String]) -> Format? {
    let program = environment["TERM_PROGRAM"]
    let term = environment["TERM"] ?? ""
    if ["xterm-kitty", "xterm-ghostty"].contains(term) || program == "ghostty"
      || environment["KITTY_WINDOW_ID"] != nil
    {
      return .kitty
    }
    let isITerm =
      program == "iTerm.app" || program == "WezTerm" || environment["LC_TERMINAL"] == "iTerm2"
    return isITerm ? .iTerm : nil
  }

  private var types: [MediaType] {
    format == .kitty ? [.png] : [.png, .jpeg, .gif, .webp, .bmp]
  }

  /// Returns whether an artifact is an image that is shown, by its type and size.
  func shows(_ artifact: Artifact) -> Bool {
    guard let size = artifact.pixelSize, artifact.size <= Self.mostBytes else { return false }
    let (pixels, isTooMuch) = size.width.multipliedReportingOverflow(by: size.height)
    return types.contains(artifact.sniffedType) && !isTooMuch && pixels <= Self.mostPixels
  }

  /// Returns the control sequence that shows an image; nil if it is not shown.
  func text(_ artifact: Artifact) async throws -> String? {
    guard shows(artifact), let size = artifact.pixelSize else { return nil }
    return text(try await artifact.data(), size)
  }

  /// Returns the control sequence that shows an image.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the image.
  ///   - size: The size of the image in pixels.
  func text(_ bytes: Data, _ size: PixelSize) -> String {
    let (columns, rows) = cells(of: size)
    let encoded = Array(bytes.base64EncodedString().utf8)
    switch format {
    case .iTerm:
      return wrapped(
        "\u{1B}]1337;File=inline=1;size=\(bytes.count);width=\(columns);height=\(rows);preserveAspectRatio=1:\(String(decoding: encoded, as: UTF8.self))\u{7}"
      )
    case .kitty:
      var result = ""
      for start in stride(from: 0, to: encoded.count, by: Self.piece) {
        let end = min(encoded.count, start + Self.piece)
        // With q=2 the terminal does not answer, because nobody would read the answer.
        let first = start == 0 ? "a=T,f=100,q=2,c=\(columns),r=\(rows)," : ""
        let piece = String(decoding: encoded[start..<end], as: UTF8.self)
        result += wrapped("\u{1B}_G\(first)m=\(end < encoded.count ? 1 : 0);\(piece)\u{1B}\\")
      }
      return result
    }
  }

  /// Returns the size in characters at which an image fits without distortion.
  private func cells(of size: PixelSize) -> (columns: Int, rows: Int) {
    let width = Double(size.width) / Double(Self.cell.width)
    let height = Double(size.height) / Double(Self.cell.height)
    let scale = min(1, Double(columns) / width, Double(rows) / height)
    return (
      max(1, min(columns, Int((width * scale).rounded()))),
      max(1, min(rows, Int((height * scale).rounded())))
    )
  }

  private func wrapped(_ escape: String) -> String {
    guard isWrapped else { return escape }
    return "\u{1B}Ptmux;\(escape.replacing("\u{1B}", with: "\u{1B}\u{1B}"))\u{1B}\\"
  }
}

extension Option where Value == InlineImages.Choice {
  static var images: Option {
    Option(
      "--images", value: "WHEN", as: .choice, else: .auto,
      help: "Show images in the terminal. auto where it is known to show them; never in a pipe.")
  }
}

extension InlineImages {
  /// Decides whether and how images are shown, for a command with the option `--images`.
  init?(_ choice: Choice, in context: Context, margin: Int = 0) {
    self.init(
      choice, environment: context.environment, terminal: context.terminal, margin: margin)
  }
}
