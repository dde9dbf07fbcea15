/// The result of a command for the program that started it.
package enum ExitCode: Int32, Sendable, Hashable, CaseIterable {
  /// The command did what it was asked, even if it found nothing.
  case done = 0
  /// The command could not do all of what it was asked.
  case failed = 1
  /// Something in the store is damaged.
  case damaged = 2
  /// The command could not begin, because there is no store, or it may not be opened.
  case couldNotRun = 3
  /// The command line has an unknown command, option or value.
  case usage = 64
}

extension ExitCode {
  /// A sentence that explains the code to a person.
  var help: String {
    switch self {
    case .done: "It did what it was asked, also when it found nothing."
    case .failed: "It could not do it, or not all of it."
    case .damaged: "Something that was kept is damaged."
    case .couldNotRun: "It could not begin: there is no store, or it may not be opened."
    case .usage: "It was asked for something that it does not know."
    }
  }
}
