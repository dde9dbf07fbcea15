import Foundation
import KeepsakeFiles
import Testing

@testable import Keepsake

/// What other programs do with a store's folder. In this process nothing but SQLite may open the files of an open store.
enum StoreFiles {
  /// Copies a folder as a crash leaves it.
  static func copy(_ folder: URL, to other: URL) throws {
    #expect(try run("cp", ["-R", folder.path, other.path]).status == 0)
  }

  /// The files below a folder that hold a text, as bytes.
  static func holding(_ text: String, in folder: URL) throws -> [String] {
    let found = try run("grep", ["-rlaF", "-e", text, folder.path])
    // 1: there is none.
    #expect(found.status < 2)
    return found.output.split(separator: "\n").map(String.init).sorted()
  }

  /// Runs a program to its end. Foundation's own way to do that crashes now and then where a thousand files are open.
  private static func run(_ program: String, _ arguments: [String]) throws -> (
    status: Int32, output: String
  ) {
    let output = try ProgramOutput(
      running: "/usr/bin/env", [program] + arguments,
      environment: ["LC_ALL": "C", "PATH": "/usr/bin:/bin"], limit: 1 << 24)
    return (output.exitCode, String(decoding: output.bytes, as: UTF8.self))
  }
}
