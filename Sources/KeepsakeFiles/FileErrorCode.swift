extension FileError {
  /// What kind of failure it was; more kinds may come, so keep a default branch.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String {
      case notFound, exists, permissionDenied, noSpace, notRegular, notDirectory, notEmpty, link
      case tooLarge, outsideRoot, timedOut, readOnly, changed, io, invalid, tooManyOpen, noResources
      case nobodyReads, guarded
    }

    private let kind: Kind

    /// Nothing has that name.
    public static let notFound = Code(kind: .notFound)
    /// Something has that name already.
    public static let exists = Code(kind: .exists)
    /// The user may not do that.
    public static let permissionDenied = Code(kind: .permissionDenied)
    /// The disk or the user's quota is full.
    public static let noSpace = Code(kind: .noSpace)
    /// It is a folder, a pipe or a device where a regular file is wanted.
    public static let notRegular = Code(kind: .notRegular)
    /// It is not a folder.
    public static let notDirectory = Code(kind: .notDirectory)
    /// The folder has something in it.
    public static let notEmpty = Code(kind: .notEmpty)
    /// It is a symbolic link, which is not followed here.
    public static let link = Code(kind: .link)
    /// It is larger than allowed.
    public static let tooLarge = Code(kind: .tooLarge)
    /// It is not inside a folder that was allowed.
    public static let outsideRoot = Code(kind: .outsideRoot)
    /// The deadline passed.
    public static let timedOut = Code(kind: .timedOut)
    /// The file system is read-only.
    public static let readOnly = Code(kind: .readOnly)
    /// It was changed by somebody else meanwhile.
    public static let changed = Code(kind: .changed)
    /// It belongs to a store, and nothing but the store may open or replace it.
    public static let guarded = Code(kind: .guarded)
    /// The device or the file system failed.
    public static let io = Code(kind: .io)
    /// The name or an argument makes no sense.
    public static let invalid = Code(kind: .invalid)
    /// Too many files are open.
    public static let tooManyOpen = Code(kind: .tooManyOpen)
    /// Whoever read the other end of a pipe does not any more.
    public static let nobodyReads = Code(kind: .nobodyReads)
    /// The system has no memory, lock or thread to give.
    public static let noResources = Code(kind: .noResources)

    public var description: String { kind.rawValue }
  }
}
