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
  /// A file that is compressed with gzip or zstd is taken as what it holds. Of a zip archive each file is taken by its own
  /// content, and what nobody knows as a conversation is left; what could not be unpacked is in the report. Both are
  /// unpacked to the system's temporary folder, and cleared away.
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
    let path = try FormatError.path(of: url, .unreadable)
    if session == nil, let known = try await knownFile(at: path, as: path, format: format) {
      progress?(1)
      return known
    }
    let progress = ImportProgress(progress)
    let files = try ImportFiles(at: path, progress: progress)
    defer { files.remove() }
    return try await importFiles(files, format: format, into: session, progress: progress)
  }

  /// Takes over files, as `importFile` does.
  /// - Parameter taken: Is told of each file that something was taken over of.
  package func importFiles(
    _ files: ImportFiles, format: String?, into session: Session?, progress: ImportProgress?,
    taken: (String, ImportReport) async throws -> Void = { _, _ in }
  ) async throws -> ImportReport {
    guard session == nil || !files.isArchive else {
      throw FormatError(
        .unsupported,
        "Can't take the archive '\(files.name)' into a session. Unpack it, and name one file of it.",
        file: files.name)
    }
    var report = ImportReport()
    report.skipped = files.refused
    var isEmpty = true
    var first: FormatError?
    let start = files.isUnpacked ? ImportFiles.unpackingShare : 0
    let all = Double(max(1, files.files.reduce(0) { $0 + $1.size }))
    var done: Int64 = 0
    for one in files.files {
      let from = start + (1 - start) * Double(done) / all
      done += one.size
      let to = start + (1 - start) * Double(done) / all
      do {
        let file = try files.open(one, progress?.part(from: from, to: to))
        if try format == nil && files.isAsset(file) { continue }
        let part = try await take(file, format, session)
        report.add(part)
        isEmpty = false
        try await taken(one.name, part)
      } catch let error as FormatError where files.isArchive {
        first = first ?? error
        report.skipped.append(.init(path: one.name, reason: error.message))
      } catch let error as KeepsakeError where files.isArchive && error.isAboutFile {
        report.skipped.append(.init(path: one.name, reason: error.message))
      }
    }
    if files.isArchive && isEmpty { throw files.nothingFound(report.skipped, first) }
    progress?.reach(1)
    return report
  }

  /// Takes over one file that is not packed.
  func take(
    _ file: ForeignFile, _ format: String?, _ session: Session?
  ) async throws -> ImportReport {
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

extension KeepsakeError {
  /// Whether a file that was to be taken in is at fault, so that the next one may do better.
  package var isAboutFile: Bool {
    [.refused, .invalid, .tooLarge, .conflict, .outOfRange, .diverged].contains(code)
  }
}
