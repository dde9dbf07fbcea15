/// What a command's end says to whoever started it.
public enum ExitCode: Int32, Sendable, Hashable, CaseIterable {
  /// It did what it was asked, also when it found nothing.
  case done = 0
  case failed = 1
  /// Something that was kept is damaged.
  case damaged = 2
  /// It could not begin: there is no store, or it may not be opened.
  case couldNotRun = 3
  /// It was asked for something that it does not know.
  case usage = 64
}

extension ExitCode {
  /// What it says, for a person who looks it up.
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
