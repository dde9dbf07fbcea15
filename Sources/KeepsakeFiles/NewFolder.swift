/// A folder that is filled beside its place and put there when it is whole: nobody sees a part of it.
///
/// Let go of before it was settled, it leaves things as they were.
public final class NewFolder: Sendable {
  /// Where files are put into it.
  public var folder: Directory { hidden.folder }
  private let hidden: HiddenFolder
  private let directory: Directory
  private let name: String
  private let mayReplace: Bool
  private let state = Locked(State.beside)

  private enum State {
    case beside
    /// In its place, and what it replaced under another name.
    case placed(old: Replaced?)
    case settled
  }

  /// What was in its place before, under its hidden name; locked, so that nobody takes it for a dead process's.
  private struct Replaced: Sendable {
    let name: String
    let folder: Directory
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
    hidden = try HiddenFolder(in: directory, mode: mode)
  }

  deinit {
    // Whoever let go of it has the error that matters.
    switch state.withLock({ $0 }) {
    case .beside: _ = try? directory.removeTree(hidden.name)
    case .placed(let old?):
      do throws(FileError) {
        let new = try directory.trade(old.name, for: name)
        try directory.removeTree(new)
      } catch {}
    case .placed(nil): _ = try? directory.removeTree(name)
    case .settled: break
    }
  }

  /// Puts it in its place, durably; until it is settled, what it replaced is kept.
  public func place() throws(FileError) {
    try folder.sync()
    try Self.requireFree(name, in: directory, replacing: mayReplace)
    var old: Replaced?
    if try directory.exists(name) {
      let there = try directory.subdirectory(name)
      _ = there.lock()
      old = Replaced(name: try directory.trade(hidden.name, for: name), folder: there)
    } else {
      try directory.rename(hidden.name, to: directory, as: name)
    }
    let replaced = old
    state.withLock { $0 = .placed(old: replaced) }
    try directory.sync()
  }

  /// Makes it stay, and removes what it replaced.
  public func settle() throws(FileError) {
    let old = state.withLock { state in
      guard case .placed(let old) = state else { return Replaced?.none }
      state = .settled
      return old
    }
    if let old { try directory.removeTree(old.name) }
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
