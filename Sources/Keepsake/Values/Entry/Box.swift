/// A value that is kept out of line and shared until it changes.
final class Box<Value: Sendable & Hashable>: Sendable, Hashable {
  let value: Value

  init(_ value: Value) { self.value = value }

  static func == (a: Box, b: Box) -> Bool { a === b || a.value == b.value }
  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
