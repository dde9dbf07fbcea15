/// What a command could not do, in one sentence that says what to do.
struct CommandError: Error {
  let message: String
  var code = ExitCode.failed
}
