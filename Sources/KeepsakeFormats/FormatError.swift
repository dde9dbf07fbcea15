#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Keepsake

/// Why a foreign file could not be read or written: what failed, where in the file, and what to do about it.
///
/// `description` is written for the person who has to act. Programs look at `code`.
public struct FormatError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure; kinds may be added, so compare with `==` instead of switching exhaustively.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Name: String, CaseIterable {
      case notFound, unreadable, unrecognised, unsupported, unknownFormat, malformed, tooLarge
      case changed, exists, unwritable
    }

    private let name: Name

    public var description: String { name.rawValue }

    /// From 1; kinds that are added come behind.
    var number: Int { (Name.allCases.firstIndex(of: name) ?? 0) + 1 }

    /// There is no such file.
    public static let notFound = Code(name: .notFound)
    /// The operating system would not read it, or it is no regular file.
    public static let unreadable = Code(name: .unreadable)
    /// Its content is of no format that we know.
    public static let unrecognised = Code(name: .unrecognised)
    /// Its format is known, and this version does not do what was asked with it.
    public static let unsupported = Code(name: .unsupported)
    /// No format has the name that was given.
    public static let unknownFormat = Code(name: .unknownFormat)
    /// It is damaged, or not what its format says it should be.
    public static let malformed = Code(name: .malformed)
    /// A part of it is larger than a limit.
    public static let tooLarge = Code(name: .tooLarge)
    /// It was written to while it was read.
    public static let changed = Code(name: .changed)
    /// A file of that name is there already.
    public static let exists = Code(name: .exists)
    /// The operating system would not write it.
    public static let unwritable = Code(name: .unwritable)
  }

  public let code: Code
  /// What failed; and how to remedy it, where that is no ``remedy``.
  public let failure: String
  /// What there is to do about it, where a program may offer to do it.
  public let remedy: KeepsakeError.Remedy?
  /// The file that the error is about.
  public let file: String?
  /// Of a fault in a file: which entry of it, counted from 1.
  public let entry: Int?
  /// Of a fault in a file: the id that the entry has there, as far as it can be read.
  public let entryID: String?
  /// Of a fault in a file: the byte where it was noticed, counted from 0.
  public let offset: Int64?
  /// The error underneath, where there was one.
  public let cause: (any Error)?

  /// What failed and how to remedy it.
  public var message: String { remedy.map { "\(failure) \($0)" } ?? failure }

  public var description: String { message }

  init(
    _ code: Code, _ failure: String, remedy: KeepsakeError.Remedy? = nil, file: String? = nil,
    entry: Int? = nil, entryID: String? = nil, offset: Int64? = nil, cause: (any Error)? = nil
  ) {
    self.code = code
    self.failure = failure
    self.remedy = remedy
    self.file = file
    self.entry = entry
    self.entryID = entryID
    self.offset = offset
    self.cause = cause
  }
}

extension FormatError: LocalizedError {
  /// The message: what `localizedDescription` gives.
  public var errorDescription: String? { message }
}

#if !canImport(FoundationEssentials)
  extension FormatError: CustomNSError {
    public static var errorDomain: String { "KeepsakeFormats.FormatError" }
    public var errorCode: Int { code.number }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }
  }
#endif
