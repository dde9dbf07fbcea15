extension FileError {
  /// The kind of failure. More kinds may be added, so keep a default branch.
  package struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String {
      case notFound, exists, permissionDenied, noSpace, notRegular, notDirectory, notEmpty, link
      case tooLarge, outsideRoot, timedOut, readOnly, changed, io, invalid, tooManyOpen, noResources
      case nobodyReads, guarded
    }

    private let kind: Kind

    /// Nothing has that name.
    package static let notFound = Code(kind: .notFound)
    /// Something has that name already.
    package static let exists = Code(kind: .exists)
    /// The user has no permission.
    package static let permissionDenied = Code(kind: .permissionDenied)
    /// The disk or the user's quota is full.
    package static let noSpace = Code(kind: .noSpace)
    /// The path leads to a folder, a pipe or a device where a regular file is wanted.
    package static let notRegular = Code(kind: .notRegular)
    /// The path does not lead to a folder.
    package static let notDirectory = Code(kind: .notDirectory)
    /// The folder is not empty.
    package static let notEmpty = Code(kind: .notEmpty)
    /// The path leads to a symbolic link, which is not followed here.
    package static let link = Code(kind: .link)
    /// The file is larger than allowed.
    package static let tooLarge = Code(kind: .tooLarge)
    /// The path is not inside an allowed folder.
    package static let outsideRoot = Code(kind: .outsideRoot)
    /// The deadline passed.
    package static let timedOut = Code(kind: .timedOut)
    /// The file system is read-only.
    package static let readOnly = Code(kind: .readOnly)
    /// The file was changed by another program meanwhile.
    package static let changed = Code(kind: .changed)
    /// The file belongs to a store, and only the store may open or replace it.
    package static let guarded = Code(kind: .guarded)
    /// The device or the file system failed.
    package static let io = Code(kind: .io)
    /// The name or an argument is invalid.
    package static let invalid = Code(kind: .invalid)
    /// Too many files are open.
    package static let tooManyOpen = Code(kind: .tooManyOpen)
    /// No process reads the other end of the pipe any more.
    package static let nobodyReads = Code(kind: .nobodyReads)
    /// The system has no memory, lock or thread left.
    package static let noResources = Code(kind: .noResources)

    package var description: String { kind.rawValue }
  }
}
