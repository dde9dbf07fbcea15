/// The values that a command was given, each read by the property that declares its parameter.
///
/// `arguments.last` is what was given for `let last = Option("--last", …)`, in that option's type; a group gives the
/// arguments of its own parameters: `arguments.page.limit`. What a command does not declare, nobody can ask for.
@dynamicMemberLookup
struct Arguments<Parameters: ParameterSet>: Sendable {
  /// The command that they are for, so that what is wrong with them can say so.
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

  /// The arguments for the options of commands that show much; none is given, where the command is no such one.
  var pager: Arguments<PagerParameters> { .init(PagerParameters(), of: self) }

  /// The names of the parameters that were given, in the order of their declarations.
  var names: [String] {
    ParameterList(parameters).parameters.map(\.shown.name).filter(given.contains)
  }
}

extension Arguments where Parameters: Command {
  /// Reads each value by the type of its parameter.
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
