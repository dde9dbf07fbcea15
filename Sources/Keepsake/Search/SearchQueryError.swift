#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Why a text can't be searched for.
public struct SearchQueryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of refusal.
  public struct Code: Sendable, Hashable {
    private enum Kind { case empty, onlyExclusions, tooLong }

    private let kind: Kind

    /// There is no letter or digit to look for.
    public static let empty = Code(kind: .empty)

    /// It says what must not be there, and nothing that must.
    public static let onlyExclusions = Code(kind: .onlyExclusions)

    /// It has more words than a query may have.
    public static let tooLong = Code(kind: .tooLong)
  }

  public let code: Code

  /// What failed, and what to do.
  public let message: String

  public var description: String { message }

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension SearchQueryError: LocalizedError {
  /// The message: what `localizedDescription` gives.
  public var errorDescription: String? { message }
}
