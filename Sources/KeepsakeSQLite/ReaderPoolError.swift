/// The error of a read that did not begin.
package enum ReaderPoolError: Error, Sendable, Hashable {
  /// The pool was closed.
  case closed
}

extension ReaderPoolError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .closed: "Can't read from the store: it was closed. Open it again."
    }
  }
}
