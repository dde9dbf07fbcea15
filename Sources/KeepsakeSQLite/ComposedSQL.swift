import Synchronization

/// SQL that is composed once, and then stays the same as long as the program runs: a constant that no literal could be.
///
/// A connection finds its statement for the SQL by a number. To find it by its text would take about as long as a short statement runs.
package final class ComposedSQL: Sendable {
  package let text: String
  /// The number of the SQL. No literal has an address as low as any of these numbers.
  let number: UInt

  private static let made = Atomic<UInt>(0)
  /// The most constants that a program has. Each connection keeps a statement for each one that it has used.
  private static let limit: UInt = 4096

  package init(_ text: String) {
    self.text = text
    number = Self.made.wrappingAdd(1, ordering: .relaxed).newValue
    precondition(
      number < Self.limit, "Composed SQL is for constants: use prepare(text:) for others")
  }
}
