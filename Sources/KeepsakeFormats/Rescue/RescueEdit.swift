/// The way in which a fault is healed, with its name in reports.
package enum RescueEdit: String, Sendable, Hashable {
  /// A result is added that says that none was recorded.
  case answer = "ANSWER"
  /// Content that is refused becomes a text that describes it.
  case text = "TEXT"
  /// An id is replaced, in the call and in its result.
  case rename = "RENAME"
  /// Results move before other content.
  case order = "ORDER"
  /// An image or document becomes a text that describes it and says where it is kept.
  case label = "LABEL"
  /// The declared type of an image becomes its real type.
  case retype = "RETYPE"
  /// All thinking of a turn is removed.
  case strip = "STRIP"
  /// An empty text becomes a placeholder, or is removed where there is other content.
  case fill = "FILL"
  /// A line gets another parent.
  case relink = "RELINK"
  /// A long text keeps only its beginning and its end.
  case cut = "CUT"
  /// A character that can't be sent is replaced by one that shows it.
  case show = "SHOW"
  /// A header is added that names the session.
  case head = "HEAD"
  /// Lines get new numbers.
  case number = "NUMBER"
  /// A line is left out of the new file, and stays in the old one.
  case leaveOut = "LEAVE OUT"
  /// The folder of the conversation changes.
  case move = "MOVE"
}
