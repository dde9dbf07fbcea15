import KeepsakeFiles

/// Reports how far an import of several parts is, from 0 to 1, and never goes back.
package final class ImportProgress: Sendable {
  private let tell: @Sendable (Double) -> Void
  private let told = Locked(0)

  /// The number of steps into which reports are rounded.
  private static let steps = 100

  package init?(_ tell: (@Sendable (Double) -> Void)?) {
    guard let tell else { return nil }
    self.tell = tell
  }

  func reach(_ share: Double) {
    let step = Int(min(1, share) * Double(Self.steps))
    let isNew = told.withLock { told in
      guard step > told else { return false }
      told = step
      return true
    }
    if isNew { tell(Double(step) / Double(Self.steps)) }
  }

  /// A function that reports the progress of one part, which takes the import from one share to another.
  func part(from start: Double, to end: Double) -> @Sendable (Double) -> Void {
    { self.reach(start + $0 * (end - start)) }
  }
}
