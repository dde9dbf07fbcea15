#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension DefaultStringInterpolation {
  /// Appends an id in lower case, as messages and all other texts spell ids.
  package mutating func appendInterpolation(_ id: UUID) {
    appendLiteral(id.text)
  }
}
