import KeepsakeFiles

/// A running program that shows text a page at a time; `finish` waits until the person leaves it.
struct Pager: Sendable {
  let write: @Sendable ([UInt8]) throws -> Void
  let finish: @Sendable () -> Void
}
