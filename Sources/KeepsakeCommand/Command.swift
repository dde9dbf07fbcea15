/// One command of the command line: a declaration, the parameters that it takes, and what runs.
///
/// Its stored properties are its parameters.
protocol Command: ParameterSet {
  static var declaration: Declaration { get }

  init()
  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode
  /// Says that what it prints with these arguments may be shown a page at a time; only asked of commands that are paged.
  func isPaged(_ arguments: Arguments<Self>, in context: Context) -> Bool
}

extension Command {
  func isPaged(_: Arguments<Self>, in _: Context) -> Bool { true }
}
