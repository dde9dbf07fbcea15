/// A command of the command line: its declaration, its parameters, and its action.
///
/// The stored properties are the parameters.
protocol Command: ParameterSet {
  static var declaration: Declaration { get }

  init()
  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode
  /// Returns whether the output with these arguments may be shown a page at a time; only paged commands are asked.
  func isPaged(_ arguments: Arguments<Self>, in context: Context) -> Bool
}

extension Command {
  func isPaged(_: Arguments<Self>, in _: Context) -> Bool { true }
}
