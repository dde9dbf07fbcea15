/// The error of a read that did not begin.
public enum ReaderPoolError: Error, Sendable, Hashable {
  /// The pool was closed.
  case closed
}

extension ReaderPoolError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .closed: "Can't read from the store: it was closed. Open it again."
    }
  }
}
