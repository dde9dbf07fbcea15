#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension DefaultStringInterpolation {
  /// Spells an id in small letters, in messages as everywhere else.
  package mutating func appendInterpolation(_ id: UUID) {
    appendLiteral(id.uuidString.lowercased())
  }
}
