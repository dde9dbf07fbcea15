import Foundation
import KeepsakeFiles
import Testing

/// A program that listens at a port, which it says in its first line. It ends with the test.
final class Program {
  let process = Process()
  let port: Int
  private let input = Pipe()

  init(_ path: String, _ arguments: [String] = []) throws {
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardInput = input
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var line = Data()
    while line.last != 0x0A, let byte = try output.fileHandleForReading.read(upToCount: 1),
      !byte.isEmpty
    {
      line += byte
    }
    port = try #require(Int(String(decoding: line.dropLast(), as: UTF8.self)))
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.terminate()
    process.waitUntilExit()
  }

  /// A program that is built beside the tests.
  static func built(_ name: String) throws -> String {
    let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    let program = tests.deletingLastPathComponent().appending(path: name).path
    try #require(
      FileManager.default.isExecutableFile(atPath: program),
      "\(name) is not built: run `swift build --build-tests`.")
    return program
  }

  /// A number of the process's status in the system, such as `Threads` or `VmRSS`.
  func status(_ name: String) throws -> Int {
    try Self.number(name, in: "/proc/\(process.processIdentifier)/status")
  }

  /// How often the threads of the process went to sleep, all together.
  func sleeps() throws -> Int {
    let folder = "/proc/\(process.processIdentifier)/task"
    return try FileManager.default.contentsOfDirectory(atPath: folder).reduce(0) { sum, thread in
      try sum + Self.number("voluntary_ctxt_switches", in: "\(folder)/\(thread)/status")
    }
  }

  private static func number(_ name: String, in path: String) throws -> Int {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + ":") })
    return try #require(Int(line.dropFirst(name.count + 1).filter(\.isNumber)))
  }
}
