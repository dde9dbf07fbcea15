import Foundation

/// What was asked for on the command line.
struct Options {
  static let usage = """
    Measures Keepsake against the same work in plain C, and says which goals are met.

      tools/bench                 all of it three times over, of which the middle counts
      tools/bench --quick         all of it once, in less than two minutes
      tools/bench --only TEXT     what has this in its name; may be given more than once
      tools/bench --list          the names
      tools/bench --json          for programs: [{"name","value","yardstick","ratio","goal","met","unit"}]
      tools/bench --folder PATH   where the stores are made: on the disk that is to be measured
      tools/bench --record FILE   writes the rows, the machine and the date to a file, too
      tools/bench --machine       only the machine: its disk's floor, SHA-256's speed, SQLite's version
      tools/bench --verbose       says what is being measured, and how long that took

      tools/bench scale           how the cost grows from 10,000 entries to 1,000,000, and the command's figures
      tools/bench scale --to N    … up to 100,000, 1,000,000 or 10,000,000
      tools/bench peers           the same work by other programs; see tools/bench peers --help
      tools/bench hub [ADDRESS]   appends that a database of PostgreSQL takes; without an address, of one started for it
      tools/bench document        all three, and Documentation/Performance.md from what they print

    Ends with status 1 when a goal is missed.
    """

  var isQuick = false
  var isJSON = false
  var isList = false
  var isHelp = false
  var isVerbose = false
  /// Only what a reader must know of the machine.
  var isMachine = false
  var isScale = false
  /// For `scale`: the entries in the stores.
  var sizes = [10_000, 100_000, 1_000_000]
  /// Where the rows are kept for the documentation.
  var record: String?
  /// Of the launcher: the keepsake command.
  var command: String?
  /// Of this program itself: to be one of several writers, or to do what it is told.
  var writer: (place: String, session: String)?
  var driven: String?
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
      case "--verbose": isVerbose = true
      case "--machine": isMachine = true
      case "scale": isScale = true
      case "--to":
        let sizes = [10_000, 100_000, 1_000_000, 10_000_000]
        guard let most = Int(try value()), sizes.contains(most) else {
          throw Misuse(message: "--to takes one of \(sizes).")
        }
        self.sizes = sizes.filter { $0 <= most }
      case "--record": record = try value()
      case "--command": command = try value()
      case "--writer": writer = (try value(), try value())
      case "--drive": driven = try value()
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
