/// The failure of a command, described in one sentence that says what to do.
struct CommandError: Error {
  let message: String
  var code = ExitCode.failed
}
