/// A file that is written under a hidden name and renamed when it is complete, so that nobody sees a part of it.
///
/// A file that is not finished leaves nothing behind.
package final class NewFile: Sendable {
  private let directory: Directory
  private let name: String
  private let hidden: HiddenFile
  private let mayReplace: Bool
  private let isFinished = Locked(false)

  /// Begins a file. Unless it may replace one, a taken name is refused, now and when the file is finished.
  /// - Parameters:
  ///   - name: The name of the file.
  ///   - directory: The folder of the file.
  ///   - mayReplace: Whether an existing file is replaced.
  ///   - mode: The permission bits, which the process's mask narrows as for any new file.
  /// - Throws: `FileError`, when the name is taken, or the file can't be made.
  package init(
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
    // The error that stopped the writing matters more than a failure to remove the file.
    if !isFinished.withLock({ $0 }) { _ = try? directory.unlink(hidden.name) }
  }

  /// Appends bytes.
  package func write(_ bytes: [UInt8]) throws(FileError) { try hidden.file.write(all: bytes) }

  /// Renames the file into its place, durably.
  /// - Throws: `FileError`, when the file can't be synced or renamed.
  package func finish() throws(FileError) {
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

  /// Throws where something has the name and may not be replaced.
  package static func requireFree(
    _ name: String, in directory: Directory, replacing mayReplace: Bool
  ) throws(FileError) {
    guard let status = try directory.status(name) else { return }
    guard mayReplace else { throw directory.taken(name) }
    // A link's target is not what was named, and a device could not be restored.
    if !status.isRegular { throw directory.irreplaceable(name, status.kind) }
  }
}
