import Foundation
import KeepsakeYardstick

/// Runs other programs and says how long they took.
enum Programs {
  /// A program that is built beside this one.
  static func sibling(_ name: String) -> String {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name).path
  }

  /// A program that does nothing.
  static var nothing: String {
    FileManager.default.fileExists(atPath: "/bin/true") ? "/bin/true" : "/usr/bin/true"
  }

  /// Python, where it is.
  static var python: String? {
    ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
      .first(where: FileManager.default.isExecutableFile)
  }

  /// From before it is started until after it has ended, in microseconds.
  static func microseconds(_ arguments: [String]) -> Double {
    let bytes = arguments.reduce(into: [UInt8]()) { $0 += Array($1.utf8) + [0] }
    return yardstick_run(bytes, bytes.count)
  }
}
