import KeepsakeBenchReport

/// What was asked of `tools/bench hub`.
struct HubOptions: Sendable {
  static let usage = """
    Measures stores that meet in a database of PostgreSQL against plain C on libpq, which makes the same calls with the same bytes.

      tools/bench hub                   all of it three times over, of which the middle counts, on a server started for this
      tools/bench hub ADDRESS           the same on a server that is there: postgresql://user@host:port/database
      tools/bench hub lists [FEW MANY]  lists and audits of a hub with so many sessions, and of one with more: 10,000 and 1,000,000

      --quick          all of it once, and with smaller hubs
      --only TEXT      what has this in its name; may be given more than once
      --list           the names
      --json           for programs: [{"name","value","yardstick","ratio","goal","met","unit"}]
      --folder PATH    where the stores are made: on the disk that is to be measured
      --record FILE    writes the rows, the machine and the date to a file, too
      --verbose        says what is being measured, and how long that took

    Ends with status 1 when a goal is missed.
    """

  /// The options that KeepsakeBench has, too.
  private(set) var common = BenchOptions()
  /// Tells whether the bench measures lists instead of all else.
  private(set) var isLists = false
  /// The arguments behind `--worker`, with which the bench starts itself as a writing process; nil in the process that was called.
  private(set) var worker: [String]?
  /// The addresses; for lists also the numbers of sessions, each behind its address.
  private var words: [String] = []

  init(_ words: [String]) throws {
    var arguments = Arguments(words)
    while let argument = arguments.next() {
      if try common.take(argument, &arguments) { continue }
      switch argument {
      case "lists": isLists = true
      case "--worker":
        var rest: [String] = []
        while let word = arguments.next() { rest.append(word) }
        worker = rest
      case _ where argument.hasPrefix("-"):
        throw Misuse(message: "There is no option '\(argument)'.")
      default: self.words.append(argument)
      }
    }
  }

  /// Returns the address of a database.
  func address(_ index: Int) throws -> String {
    let place = isLists ? 2 * index : index
    guard words.indices.contains(place) else {
      throw Misuse(message: "The address of a database is missing.")
    }
    return words[place]
  }

  /// Returns the number of sessions that a database gets before lists are measured.
  func sessions(_ index: Int) throws -> Int {
    guard words.count == 4, let count = Int(words[2 * index + 1]), count > 0 else {
      throw Misuse(message: "lists takes an address and a number of sessions, twice.")
    }
    return count
  }
}
