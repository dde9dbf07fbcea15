import Foundation

/// What was asked for on the command line.
struct Options {
  static let usage = """
    Measures Keepsake against the same work in plain C, and says which goals are met.

      tools/bench                 all of it, thoroughly
      tools/bench --quick         all of it, in less than two minutes
      tools/bench --only TEXT     what has this in its name; may be given more than once
      tools/bench --list          the names
      tools/bench --json          for programs: [{"name","value","yardstick","ratio","goal","met","unit"}]
      tools/bench --folder PATH   where the stores are made: on the disk that is to be measured

    Ends with status 1 when a goal is missed.
    """

  var isQuick = false
  var isJSON = false
  var isList = false
  var isHelp = false
  var only: [String] = []
  var folder = ".build/bench"
  /// Of the launcher: this run is the one in which syncs are made slower; its rows go to this file.
  var slowDiskRows: String?
  /// Of the launcher: rows that such a run has left.
  var include: String?

  struct Misuse: Error {
    let message: String
  }

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      func value() throws -> String {
        guard let value = rest.popFirst() else {
          throw Misuse(message: "\(argument) needs a value.")
        }
        return value
      }
      switch argument {
      case "--quick": isQuick = true
      case "--json": isJSON = true
      case "--list": isList = true
      case "--help", "-h": isHelp = true
      case "--only": only.append(try value())
      case "--folder": folder = try value()
      case "--slow-disk-rows": slowDiskRows = try value()
      case "--include": include = try value()
      default: throw Misuse(message: "There is no option '\(argument)'.")
      }
    }
  }

  func wants(_ name: String) -> Bool {
    only.isEmpty || only.contains { name.contains($0) }
  }
}
