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

/// A set of parameters that belong together: a command, or a group that several commands take.
///
/// Each stored property is a parameter or a group, in the order in which help lists them.
protocol ParameterSet: Sendable {}

/// The parameters of a set in order, including those of its groups.
struct ParameterList {
  private(set) var parameters: [any Parameter] = []

  init(_ set: any ParameterSet) {
    for child in Mirror(reflecting: set).children {
      switch child.value {
      case let parameter as any Parameter: parameters.append(parameter)
      case let group as any ParameterSet: parameters += ParameterList(group).parameters
      default:
        preconditionFailure("'\(child.label ?? "")' of \(type(of: set)) is no parameter.")
      }
    }
  }

  var options: [Declaration.Option] {
    parameters.compactMap { if case .option(let option) = $0.shown { option } else { nil } }
  }

  var operands: [Declaration.Operand] {
    parameters.compactMap { if case .operand(let operand) = $0.shown { operand } else { nil } }
  }
}
