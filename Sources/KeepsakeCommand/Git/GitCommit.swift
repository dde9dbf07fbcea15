import KeepsakeFiles

/// The first commit with a file's bytes, in the repository that contains the file.
struct GitCommit {
  let id: String
  let author: String
  /// The date as Git writes it, in RFC 3339.
  let date: String
  let subject: String

  /// Finds the first commit with a file's bytes.
  ///
  /// - Parameters:
  ///   - path: The file's absolute path.
  ///   - environment: The environment variables for Git.
  /// - Returns: The commit; nil if no commit has the bytes.
  /// - Throws: A ``CommandError`` if there is no Git or no repository.
  static func first(withBytesOf path: String, _ environment: [String: String]) throws -> GitCommit?
  {
    guard let slash = path.lastIndex(of: "/") else { return nil }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    let git = try Git(in: folder, environment)
    guard try git.line(["rev-parse", "--git-dir"]) != nil else {
      throw CommandError(
        message: "Can't ask for the commit of '\(path)': it does not lie in a Git repository.")
    }
    guard let blob = try git.line(["hash-object", "--", path]) else { return nil }
    let found = try git.line([
      "log", "--all", "--reverse", "--date-order", "-m", "--no-ext-diff", "--no-textconv",
      "--no-show-signature", "--find-object=\(blob)", "--format=%H%x00%an%x00%aI%x00%s",
    ])
    let parts = found?.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
    guard let parts, parts.count == 4 else { return nil }
    return GitCommit(id: parts[0], author: parts[1], date: parts[2], subject: parts[3])
  }
}

/// Runs Git in a folder, so that it starts no programs that the repository names, and fetches nothing.
private struct Git {
  private let program: String
  private let folder: String
  private let environment: [String: String]

  init(in folder: String, _ environment: [String: String]) throws {
    guard let program = ChildProcess.find("git", in: environment["PATH"] ?? "/usr/bin:/bin") else {
      throw CommandError(message: "Can't ask for a commit: there is no 'git' here. Install it.")
    }
    self.program = program
    self.folder = folder
    self.environment = environment.merging([
      "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1",
    ]) { $1 }
  }

  /// Returns the first line that Git prints; nil if it prints none or fails.
  func line(_ arguments: [String]) throws -> String? {
    let safely = ["-C", folder, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]
    let output = try ProgramOutput(
      running: program, safely + arguments, environment: environment, limit: 1 << 20)
    guard output.exitCode == 0 || !output.bytes.isEmpty else { return nil }
    return output.bytes.split(separator: UInt8(ascii: "\n")).first
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
