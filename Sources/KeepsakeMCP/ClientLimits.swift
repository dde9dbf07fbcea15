/// The sizes that clients are known to take. They change often, so all of them stand here, each with what it comes from.
enum ClientLimits {
  /// The usual size of a text result in bytes. Codex cuts text at 10 KiB or 256 lines.
  static let usualText = 8 << 10
  /// The least size of a text result that can be asked for: the head and the frame of an entry fit in it.
  static let leastText = 1 << 10
  /// The largest text result. Claude Code takes 25,000 tokens, and opencode 50 KB, before they cut it or put it in a file.
  static let mostText = 64 << 10
  /// The largest image inside of a result, in bytes. Claude Desktop takes 1,048,576 characters a result, and base64 makes
  /// four characters of three bytes.
  static let inlineImage = 700_000
  /// The longest side of an image inside of a result, in pixels. The service behind Claude Code refuses a conversation with
  /// many images above that, for good.
  static let imageSide = 2_000
  /// The largest artifact that is read as a resource. A message is built and parsed as a whole, by both sides.
  static let resource = 16 << 20
  /// The sessions of a page of resources. Clients put the list into a menu, or read all of it when they connect.
  static let resourcePage = 50
  /// The longest line of text from a store where one line is wanted: titles, file names, names of tools.
  static let lineLength = 120
  /// The largest text of an entry that is appended. It comes as one argument of a model.
  static let entryText = 256 << 10
  /// The largest attachment that comes as base64: seven hundred thousand characters.
  static let base64Text = 700 << 10
  /// The longest message in bytes, of both directions' requests: an attachment as base64 fits in it many times.
  static let message = 8 << 20
  /// The largest body of an HTTP request, in bytes.
  static let body = 1 << 20
}
