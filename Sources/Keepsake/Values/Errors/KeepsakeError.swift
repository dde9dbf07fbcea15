#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An error that says what failed, on which object, and what to do about it.
///
/// `description` is written for the person who has to act. Programs look at `code`.
public struct KeepsakeError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure; kinds may be added, so compare with `==` instead of switching exhaustively.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Name: String, CaseIterable {
      case notFound, notAStore, newerStore, damaged, permissionDenied, diskFull, readOnly
      case replaced, locked, closed, conflict, outOfRange, invalid, artifactDamaged
      case artifactMissing, tooLarge, refused, diverged, inputOutput, unknown
    }

    private let name: Name

    public var description: String { name.rawValue }

    /// The number of the kind, counted from 1. Kinds that are added later have higher numbers.
    var number: Int { (Name.allCases.firstIndex(of: name) ?? 0) + 1 }

    /// The store, session, entry, artifact, label or position does not exist.
    public static let notFound = Code(name: .notFound)
    /// The folder exists, and is no store.
    public static let notAStore = Code(name: .notAStore)
    /// A newer version of Keepsake wrote the store.
    public static let newerStore = Code(name: .newerStore)
    /// SQLite or a checksum says that the database is damaged.
    public static let damaged = Code(name: .damaged)
    /// The operating system refused access.
    public static let permissionDenied = Code(name: .permissionDenied)
    /// There is no space left; what was acknowledged before is kept.
    public static let diskFull = Code(name: .diskFull)
    /// The store was opened for reading.
    public static let readOnly = Code(name: .readOnly)
    /// The store was deleted, moved or replaced while it was open.
    public static let replaced = Code(name: .replaced)
    /// Another process held the store's lock for too long.
    public static let locked = Code(name: .locked)
    /// The store is closed.
    public static let closed = Code(name: .closed)
    /// A known key came with other content, a label or draft is taken, or a session went on in another store, too.
    public static let conflict = Code(name: .conflict)
    /// A position or range lies outside of the session or artifact.
    public static let outOfRange = Code(name: .outOfRange)
    /// The argument cannot be stored.
    public static let invalid = Code(name: .invalid)
    /// The artifact's bytes are not the ones that its name promises.
    public static let artifactDamaged = Code(name: .artifactDamaged)
    /// The artifact is known and its bytes are gone.
    public static let artifactMissing = Code(name: .artifactMissing)
    /// The content is larger than a limit.
    public static let tooLarge = Code(name: .tooLarge)
    /// The file is not one that may be taken in.
    public static let refused = Code(name: .refused)
    /// A saved list diverges from what is stored.
    public static let diverged = Code(name: .diverged)
    /// The operating system or SQLite failed to read or write.
    public static let inputOutput = Code(name: .inputOutput)
    /// Nobody knows whether the change was made, because a hub gave no answer.
    public static let unknown = Code(name: .unknown)
  }

  public let code: Code
  /// A sentence that says what failed. It also says how to remedy that, if ``remedy`` is nil.
  public let failure: String
  /// The remedy as a value, if a program can offer it to people.
  public let remedy: Remedy?
  /// The store, session, entry or artifact that the error is about.
  public let object: String?
  /// The underlying error, if there is one.
  public let cause: (any Error)?

  /// The whole message: what failed, and how to remedy it.
  public var message: String { remedy.map { "\(failure) \($0)" } ?? failure }

  public var description: String { message }

  package init(
    _ code: Code, _ failure: String, remedy: Remedy? = nil, object: String? = nil,
    cause: (any Error)? = nil
  ) {
    self.code = code
    self.failure = failure
    self.remedy = remedy
    // An id has one spelling, however it came here.
    self.object = object.map { UUID(uuidString: $0) == nil ? $0 : $0.lowercased() }
    self.cause = cause
  }
}

extension KeepsakeError: LocalizedError {
  /// The message, which `localizedDescription` returns.
  public var errorDescription: String? { message }
}

#if !canImport(FoundationEssentials)
  extension KeepsakeError: CustomNSError {
    public static var errorDomain: String { "Keepsake.KeepsakeError" }
    public var errorCode: Int { code.number }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }
  }
#endif
