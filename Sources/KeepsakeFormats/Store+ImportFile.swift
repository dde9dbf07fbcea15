#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Keepsake

extension Store {
  /// Takes over what a foreign file says, and keeps the file verbatim: exported again, it is the same to the byte.
  ///
  /// The file is read in parts, to its end, before anything is written: one that is damaged leaves nothing behind. The same
  /// file again adds nothing. One that begins with the records of a file that was imported before has grown out of it, and
  /// adds what is new to its session; how the file is spelled, and what a format writes anew each time, does not count. Any
  /// other becomes a session of its own, also where it has the ids of another: ids prove nothing. A format whose files name
  /// their session goes by that as well, as long as the file leaves something of the session as it is.
  ///
  /// Who knows better names the session. The file is then aligned with it as `Session.save(_:ifDiverging:)` does
  /// with a list: what is new stands at its end, what changed becomes a revision, and where they part ways it throws
  /// `diverged`, with nothing changed; fork the session there to keep both.
  /// - Parameters:
  ///   - url: The file.
  ///   - format: The name of its format; nil to go by what its content shows.
  ///   - session: The session that it is taken into, a session of this store; nil to find out which one it continues.
  ///   - progress: Is told how far it is, from 0 to 1, about a hundred times; on any thread, and it should be quick.
  /// - Returns: What was added, and what could not be taken over as it should have been.
  /// - Throws: ``FormatError``, when it can't be read; `KeepsakeError`, when the store can't take it.
  @concurrent @discardableResult
  public func importFile(
    at url: URL, format: String? = nil, into session: Session? = nil,
    progress: (@Sendable (Double) -> Void)? = nil
  ) async throws -> ImportReport {
    let file = try ForeignFile(
      path: FormatError.path(of: url, .unreadable), progress: progress)
    let codec = try format.map(Codecs.named) ?? Codecs.recognised(file)
    var report = try await codec.take(file, into: self, session)
    // A codec knows the file by its last name, which is what the store keeps of it.
    report.skipped = report.skipped.map { skipped in
      skipped.path == file.lastName
        ? .init(path: file.name, line: skipped.line, reason: skipped.reason, isKept: skipped.isKept)
        : skipped
    }
    return report
  }
}
