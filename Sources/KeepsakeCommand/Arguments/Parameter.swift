/// A flag, an option or an operand of a command.
///
/// A parameter is declared once, as a stored property of a command or of a group, and read through that property:
/// `arguments.last`. Help, completions and man pages come from the same property.
protocol Parameter: Sendable {
  associatedtype Value: Sendable

  /// The declaration of the parameter, for parsing and help.
  var shown: Declaration.Parameter { get }
  /// Returns the value for the given texts: none, one, or several.
  func value(of given: [String]) throws(UsageError) -> Value
}
