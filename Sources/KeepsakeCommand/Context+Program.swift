import KeepsakeFiles

extension Context {
  /// The path of this program, for those who are to start it later.
  ///
  /// It is named as the shell finds it, because the file behind that name may change with a new version.
  func program() throws -> String {
    guard let running = ProgramPath.current else {
      throw CommandError(message: "Can't tell where the program 'keepsake' is.")
    }
    let found = ChildProcess.find("keepsake", in: environment["PATH"] ?? "")
    return found.flatMap { FileStatus.resolvedPath($0) == running ? $0 : nil } ?? running
  }
}
