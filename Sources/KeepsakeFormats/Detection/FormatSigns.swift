/// A format, and how its files are told from others.
protocol FormatSigns: Sendable {
  static var format: Format { get }

  /// Whether a file that begins so is of this format. Keys may come in any order, and the file may be large, so what is
  /// seen must be enough.
  static func recognises(_ head: FileHead) -> Bool
}
