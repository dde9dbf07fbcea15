#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An error that says why a text is no query.
public struct SearchQueryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of refusal.
  public struct Code: Sendable, Hashable {
    /// The known kinds; the public type is extensible.
    private enum Kind { case empty, onlyExclusions, tooLong }

    private let kind: Kind

    /// The query has no letter or digit to search for.
    public static let empty = Code(kind: .empty)

    /// The query only excludes words, and has none to search for.
    public static let onlyExclusions = Code(kind: .onlyExclusions)

    /// The query has more words than allowed.
    public static let tooLong = Code(kind: .tooLong)
  }

  /// The kind of refusal.
  public let code: Code

  /// A message that says what failed, and what to do.
  public let message: String

  /// The message.
  public var description: String { message }

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension SearchQueryError: LocalizedError {
  /// The message, which `localizedDescription` gives as well.
  public var errorDescription: String? { message }
}
