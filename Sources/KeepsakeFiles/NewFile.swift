/// A file that is written beside its place and put there when it is whole: nobody sees a part of it.
///
/// Let go of before it was finished, it leaves nothing behind.
public final class NewFile: Sendable {
  private let directory: Directory
  private let name: String
  private let hidden: HiddenFile
  private let mayReplace: Bool
  private let isFinished = Locked(false)

  /// Begins a file; unless it may replace one, a name that is taken is refused, now and when it is finished.
  ///
  /// The permission bits are narrowed by the process's mask, as they are for any new file.
  public init(
    _ name: String, in directory: Directory, replacing mayReplace: Bool = false,
    mode: UInt16 = 0o666
  ) throws(FileError) {
    self.directory = directory
    self.name = name
    self.mayReplace = mayReplace
    hidden = try HiddenFile(in: directory, mode: mode)
    try Self.requireFree(name, in: directory, replacing: mayReplace)
  }

  deinit {
    // Whoever let go of it has the error that matters.
    if !isFinished.withLock({ $0 }) { _ = try? directory.unlink(hidden.name) }
  }

  /// Appends bytes.
  public func write(_ bytes: [UInt8]) throws(FileError) { try hidden.file.write(all: bytes) }

  /// Puts it in its place, durably.
  public func finish() throws(FileError) {
    try hidden.file.sync()
    if mayReplace {
      try Self.requireFree(name, in: directory, replacing: true)
      try directory.rename(hidden.name, to: directory, as: name)
    } else {
      try directory.rename(hidden.name, asFree: name)
    }
    isFinished.withLock { $0 = true }
    try directory.sync()
  }

  /// Throws where something has the name that may not be replaced.
  public static func requireFree(
    _ name: String, in directory: Directory, replacing mayReplace: Bool
  ) throws(FileError) {
    guard let status = try directory.status(name) else { return }
    guard mayReplace else { throw directory.taken(name) }
    // What a link leads to is not what was named, and a device is not to be had back.
    if !status.isRegular { throw directory.irreplaceable(name, status.kind) }
  }
}
