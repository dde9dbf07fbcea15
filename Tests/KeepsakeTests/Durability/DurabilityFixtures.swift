import Foundation
import Keepsake
import Testing

@testable import KeepsakeFiles

/// A folder for one test, removed when the test lets go of it.
final class TestFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(
      path: "durability-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var store: URL { url.appending(path: "Chats.keepsake", directoryHint: .isDirectory) }

  /// Each file below a folder with its bytes, to show that nothing was changed.
  static func contents(of folder: URL) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let url = folder.appending(path: name)
      let isFolder = try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory ?? false
      contents[name] = isFolder ? Data() : try Data(contentsOf: url)
    }
    return contents
  }
}

/// Another program, ended when the test lets go of it.
///
/// Foundation's `Process` can't run the program instead: on Linux `Process` crashes if the test process has many files open.
final class OtherProgram {
  let pid: Int32
  private let output = Pipe()
  /// The status with which the program ended, as `waitpid` gives it; nil until a test has waited for the end.
  private var status: Int32?

  init(_ path: String, _ arguments: [String]) throws {
    let writing = output.fileHandleForWriting
    for handle in [output.fileHandleForReading, writing] {
      _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
    let spawn = Spawn(
      streams: [0: .nothing, 1: .descriptor(writing.fileDescriptor), 2: .nothing],
      isOwnGroup: false)
    pid = try spawn(
      path, [path] + arguments, environment: ProcessInfo.processInfo.environment, as: path)
    // The program alone has the end for writing, so that reading ends with the program.
    try writing.close()
  }

  deinit {
    // The program may have inherited a mask that keeps every other signal from it.
    if status == nil { kill(pid, SIGKILL) }
    _ = succeeds()
  }

  /// Waits until it has printed something; false if it ended without.
  func waitForOutput() throws -> Bool { try output.fileHandleForReading.read(upToCount: 1) != nil }

  /// Waits for its end; whether it went well.
  func succeeds() -> Bool {
    if let status { return status == 0 }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) == -1, errno == EINTR {}
    self.status = status
    return status == 0
  }

  /// Holds a file's lock as programs that are not ours do, until it is ended.
  static func locking(_ url: URL) throws -> OtherProgram {
    let program = try OtherProgram(
      "/usr/bin/env",
      [
        "python3", "-c",
        """
        import fcntl, signal, sys
        file = open(sys.argv[1], "r+b")
        fcntl.flock(file, fcntl.LOCK_EX)
        print("held", flush=True)
        signal.pause()
        """, url.path,
      ])
    try #require(try program.waitForOutput())
    return program
  }
}

/// The error of the library that the body throws; anything else is an issue.
func keepsakeError<Result>(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Result
) async -> KeepsakeError? {
  do {
    _ = try await body()
    Issue.record("It did not fail", sourceLocation: sourceLocation)
  } catch let error as KeepsakeError {
    return error
  } catch {
    Issue.record("It failed with another error: \(error)", sourceLocation: sourceLocation)
  }
  return nil
}
