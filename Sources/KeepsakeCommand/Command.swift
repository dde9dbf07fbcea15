/// One command of the command line: a declaration and what runs.
protocol Command: Sendable {
  static var declaration: Declaration { get }

  init()
  func run(_ arguments: Arguments, in context: Context) async throws -> ExitCode
}
