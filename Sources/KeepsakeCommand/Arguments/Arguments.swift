/// The values that were given to a command, read through the properties that declare its parameters.
///
/// `arguments.last` is the value for `let last = Option("--last", …)`, in that option's type. A group gives the arguments of
/// its own parameters: `arguments.page.limit`. So only declared parameters can be read.
@dynamicMemberLookup
struct Arguments<Parameters: ParameterSet>: Sendable {
  /// The name of the command, for error messages.
  let command: String
  private let parameters: Parameters
  private let values: [String: any Sendable]
  private let given: Set<String>

  private init<Others>(_ parameters: Parameters, of others: Arguments<Others>) {
    command = others.command
    values = others.values
    given = others.given
    self.parameters = parameters
  }

  /// The value that was given for a parameter.
  subscript<One: Parameter>(dynamicMember property: KeyPath<Parameters, One>) -> One.Value {
    let name = parameters[keyPath: property].shown.name
    guard let value = values[name] as? One.Value else {
      preconditionFailure("'\(command)' declares '\(name)' twice.")
    }
    return value
  }

  /// The arguments for the parameters of a group.
  subscript<Group: ParameterSet>(
    dynamicMember property: KeyPath<Parameters, Group>
  ) -> Arguments<Group> {
    Arguments<Group>(parameters[keyPath: property], of: self)
  }

  /// The arguments for the options that every command takes.
  var common: Arguments<CommonParameters> { .init(CommonParameters(), of: self) }

  /// The arguments for the options of paged commands; none of them is given for other commands.
  var pager: Arguments<PagerParameters> { .init(PagerParameters(), of: self) }

  /// The names of the given parameters, in the order of their declarations.
  var names: [String] {
    ParameterList(parameters).parameters.map(\.shown.name).filter(given.contains)
  }
}

extension Arguments where Parameters: Command {
  /// Reads each value by the type of its parameter; throws if a value is malformed.
  init(_ words: ArgumentWords) throws(UsageError) {
    let command = words.declaration.name
    try words.checkOperands()
    let parameters = Parameters()
    var values: [String: any Sendable] = [:]
    var given: Set<String> = []
    let sets: [any ParameterSet] = [parameters, CommonParameters(), PagerParameters()]
    for parameter in sets.flatMap({ ParameterList($0).parameters }) {
      let texts = words.given(for: parameter.shown)
      let name = parameter.shown.name
      if !texts.isEmpty { given.insert(name) }
      do { values[name] = try parameter.value(of: texts) } catch {
        throw UsageError(message: error.message, command: command)
      }
    }
    self.command = command
    self.parameters = parameters
    self.values = values
    self.given = given
  }
}
