/// A folder that is filled beside its place and put there when it is whole: nobody sees a part of it.
///
/// Let go of before it was settled, it leaves things as they were.
public final class NewFolder: Sendable {
  /// Where files are put into it.
  public let folder: Directory
  private let directory: Directory
  private let name: String
  private let temporary: String
  private let mayReplace: Bool
  private let state = Locked(State.beside)

  private enum State {
    case beside
    /// In its place, and what it replaced under another name.
    case placed(old: String?)
    case settled
  }

  /// Begins a folder; unless it may replace one, a name that is taken is refused, now and when it is placed.
  public init(
    _ name: String, in directory: Directory, replacing mayReplace: Bool = false,
    mode: UInt16 = 0o777
  ) throws(FileError) {
    self.directory = directory
    self.name = name
    self.mayReplace = mayReplace
    try Self.requireFree(name, in: directory, replacing: mayReplace)
    temporary = Directory.temporaryName()
    folder = try directory.subdirectory(temporary, create: true, mode: mode)
  }

  deinit {
    // Whoever let go of it has the error that matters.
    switch state.withLock({ $0 }) {
    case .beside: _ = try? directory.removeTree(temporary)
    case .placed(let old):
      _ = try? directory.removeTree(name)
      if let old { _ = try? directory.rename(old, to: directory, as: name) }
    case .settled: break
    }
  }

  /// Puts it in its place, durably; until it is settled, what it replaced is kept.
  public func place() throws(FileError) {
    try folder.sync()
    try Self.requireFree(name, in: directory, replacing: mayReplace)
    var old: String?
    if try directory.exists(name) {
      let aside = Directory.temporaryName()
      try directory.rename(name, to: directory, as: aside)
      old = aside
    }
    do throws(FileError) { try directory.rename(temporary, to: directory, as: name) } catch {
      if let old { try directory.rename(old, to: directory, as: name) }
      throw error
    }
    let replaced = old
    state.withLock { $0 = .placed(old: replaced) }
    try directory.sync()
  }

  /// Makes it stay, and removes what it replaced.
  public func settle() throws(FileError) {
    let old = state.withLock { state in
      guard case .placed(let old) = state else { return String?.none }
      state = .settled
      return old
    }
    if let old { try directory.removeTree(old) }
  }

  /// Throws where something has the name that may not be replaced.
  public static func requireFree(
    _ name: String, in directory: Directory, replacing mayReplace: Bool
  ) throws(FileError) {
    guard let status = try directory.status(name) else { return }
    guard mayReplace else { throw directory.taken(name) }
    if !status.isDirectory { throw directory.irreplaceable(name, status.kind) }
  }
}
