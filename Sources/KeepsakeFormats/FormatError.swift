#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Keepsake

/// The error of reading or writing a foreign file: what failed, where in the file, and what to do about it.
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

    /// The number of the kind, from 1. New kinds are added at the end, so that numbers stay.
    var number: Int { (Name.allCases.firstIndex(of: name) ?? 0) + 1 }

    /// The file does not exist.
    public static let notFound = Code(name: .notFound)
    /// The operating system refused to read the file, or it is no regular file.
    public static let unreadable = Code(name: .unreadable)
    /// The file's content is of no known format.
    public static let unrecognised = Code(name: .unrecognised)
    /// This version of Keepsake can't do with the file's format what was asked for.
    public static let unsupported = Code(name: .unsupported)
    /// No format has the given name.
    public static let unknownFormat = Code(name: .unknownFormat)
    /// The file is damaged, or breaks the rules of its format.
    public static let malformed = Code(name: .malformed)
    /// A part of the file is larger than a limit.
    public static let tooLarge = Code(name: .tooLarge)
    /// Another program wrote to the file while it was read.
    public static let changed = Code(name: .changed)
    /// A file with that name already exists.
    public static let exists = Code(name: .exists)
    /// The operating system refused to write the file.
    public static let unwritable = Code(name: .unwritable)
  }

  /// The kind of failure, for programs.
  public let code: Code
  /// The message for a person without the ``remedy``: what failed, and what to do where no program can offer it.
  public let failure: String
  /// The remedy that a program may offer; nil where only a person can act.
  public let remedy: KeepsakeError.Remedy?
  /// The file that the error is about.
  public let file: String?
  /// The number of the faulty entry in the file, counted from 1; nil for other errors.
  public let entry: Int?
  /// The id that the faulty entry has in the file, where it can be read.
  public let entryID: String?
  /// The position of the byte where a fault was noticed, counted from 0; nil for other errors.
  public let offset: Int64?
  /// The error that caused this one; nil where there was none.
  public let cause: (any Error)?

  /// A sentence that says what failed, and how to remedy it.
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
  /// The message, which `localizedDescription` returns.
  public var errorDescription: String? { message }
}

#if !canImport(FoundationEssentials)
  extension FormatError: CustomNSError {
    public static var errorDomain: String { "KeepsakeFormats.FormatError" }
    public var errorCode: Int { code.number }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }
  }
#endif
