#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Images among the text of terminals that can show them.
///
/// Nothing that a conversation says gets into what steers the terminal: no name, and only bytes that are a raster image.
struct InlineImages {
  /// When to show images.
  enum Choice: String, CaseIterable {
    /// On a terminal that is known to show them.
    case auto
    /// On any terminal.
    case always
    case never
  }

  /// How a terminal takes images.
  enum Format {
    /// OSC 1337, as iTerm2 and WezTerm have it.
    case iTerm
    /// Kitty's graphics, which Ghostty takes too: PNG alone.
    case kitty
  }

  let format: Format
  /// Whether tmux stands between us and the terminal, and must be told to pass it on.
  private let isWrapped: Bool
  private let columns: Int
  private let rows: Int

  /// How large a character is taken to be, in pixels.
  private static let cell = (width: 8, height: 16)
  private static let mostBytes: Int64 = 8 << 20
  private static let mostPixels = 50_000_000
  /// Kitty's limit for a piece of base64.
  private static let piece = 4096

  /// - Parameters:
  ///   - choice: What the person wants.
  ///   - environment: Where terminals say what they are.
  ///   - terminal: What it would be shown on; nothing else gets an image.
  ///   - margin: The columns before it.
  init?(_ choice: Choice, environment: [String: String], terminal: Terminal, margin: Int = 0) {
    func has(_ name: String) -> Bool { environment[name].map { !$0.isEmpty } ?? false }
    // GNU screen passes nothing on that is as long as an image.
    guard choice != .never, terminal.isTerminal, let height = terminal.height, !has("STY") else {
      return nil
    }
    let term = environment["TERM"] ?? ""
    isWrapped = has("TMUX") || term.hasPrefix("screen") || term.hasPrefix("tmux")
    let known = Self.format(environment)
    // What stands between would swallow it, or print it, unless it is set up to pass it on: only the person knows.
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

  /// Whether an artifact is an image that is shown.
  func shows(_ artifact: Artifact) -> Bool {
    guard let size = artifact.pixelSize, artifact.size <= Self.mostBytes else { return false }
    let (pixels, isTooMuch) = size.width.multipliedReportingOverflow(by: size.height)
    return types.contains(artifact.sniffedType) && !isTooMuch && pixels <= Self.mostPixels
  }

  /// What shows an image in a terminal; nil where it is not shown.
  func text(_ artifact: Artifact) async throws -> String? {
    guard shows(artifact), let size = artifact.pixelSize else { return nil }
    return text(try await artifact.data(), size)
  }

  /// - Parameters:
  ///   - bytes: Those of an image.
  ///   - size: Its pixels.
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
        // q=2: the terminal is not to answer, as nobody reads what it says.
        let first = start == 0 ? "a=T,f=100,q=2,c=\(columns),r=\(rows)," : ""
        let piece = String(decoding: encoded[start..<end], as: UTF8.self)
        result += wrapped("\u{1B}_G\(first)m=\(end < encoded.count ? 1 : 0);\(piece)\u{1B}\\")
      }
      return result
    }
  }

  /// So many characters that nothing is stretched, and all of it fits.
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
  /// As the person wants it of a command that takes `--images`.
  init?(_ choice: Choice, in context: Context, margin: Int = 0) {
    self.init(
      choice, environment: context.environment, terminal: context.terminal, margin: margin)
  }
}
