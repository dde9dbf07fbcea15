/// What a command's end says to whoever started it.
public enum ExitCode: Int32, Sendable, Hashable {
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
