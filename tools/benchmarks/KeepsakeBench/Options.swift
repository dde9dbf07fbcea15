import KeepsakeBenchReport

/// What was asked for on the command line.
struct Options: Sendable {
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
      tools/bench hub             stores that meet in a database of PostgreSQL; see tools/bench hub --help
      tools/bench document        all four, and Documentation/Performance.md from what they print

    Ends with status 1 when a goal is missed.
    """

  /// The options that KeepsakeHubBench has, too.
  private(set) var common = BenchOptions()
  /// Only what a reader must know of the machine.
  var isMachine = false
  var isScale = false
  /// For `scale`: the entries in the stores.
  var sizes = [10_000, 100_000, 1_000_000]
  /// Of the launcher: the keepsake command.
  var command: String?
  /// Of this program itself: to be one of several writers, or to do what it is told.
  var writer: (place: String, session: String)?
  var driven: String?
  /// Of the launcher: this run is the one in which syncs are made slower; its rows go to this file.
  var slowDiskRows: String?
  /// Of the launcher: rows that such a run has left.
  var include: String?

  init(_ words: [String]) throws {
    var arguments = Arguments(words)
    while let argument = arguments.next() {
      if try common.take(argument, &arguments) { continue }
      func value() throws -> String { try arguments.value(of: argument) }
      switch argument {
      case "--machine": isMachine = true
      case "scale": isScale = true
      case "--to":
        let sizes = [10_000, 100_000, 1_000_000, 10_000_000]
        guard let most = Int(try value()), sizes.contains(most) else {
          throw Misuse(message: "--to takes one of \(sizes).")
        }
        self.sizes = sizes.filter { $0 <= most }
      case "--command": command = try value()
      case "--writer": writer = (try value(), try value())
      case "--drive": driven = try value()
      case "--slow-disk-rows": slowDiskRows = try value()
      case "--include": include = try value()
      default: throw Misuse(message: "There is no option '\(argument)'.")
      }
    }
  }
}
