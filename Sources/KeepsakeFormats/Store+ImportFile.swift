#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Keepsake

extension Store {
  /// Imports a foreign file, and keeps the file verbatim, so that it can be exported again byte for byte.
  ///
  /// The file is read to its end before anything is written, so a damaged file changes nothing. Importing the same
  /// file again adds nothing. A file that begins with the records of a file imported before continues that file's
  /// session. The comparison ignores how a file is spelled, and what a format writes anew each time. Any other file
  /// becomes a session of its own, even where its records have known ids, because ids prove nothing. In a format
  /// whose files name their session, the name also counts, as long as the file leaves a part of the session
  /// unchanged.
  ///
  /// A file that is compressed with gzip or zstd is imported as its content. In a zip archive each file is imported
  /// by its own content; files that are no conversation are ignored, and files that can't be unpacked are in the
  /// report. Both are unpacked to the system's temporary folder, from which they are removed at the end.
  ///
  /// Where a session is given, the file is aligned with it as `Session.save(_:ifDiverging:)` does with a list. New
  /// entries are added at the end, and changed ones become revisions. Where the two part ways, nothing is changed and
  /// `diverged` is thrown; fork the session there to keep both.
  /// - Parameters:
  ///   - url: The file.
  ///   - format: The name of the file's format; nil to detect it from the content.
  ///   - session: A session of this store that the file is imported into; nil to find out which one the file
  ///     continues.
  ///   - progress: Is told how far the import is, from 0 to 1, about a hundred times. It is called on any thread, and
  ///     should return quickly.
  /// - Returns: What was added, and what could not be imported as it should have been.
  /// - Throws: ``FormatError``, when the file can't be read; `KeepsakeError`, when the store can't take it.
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

  /// Imports files as ``importFile(at:format:into:progress:)`` does.
  /// - Parameters:
  ///   - files: The unpacked files.
  ///   - format: The name of the files' format; nil to detect it from their contents.
  ///   - session: The session that a file is imported into; nil to find out which one it continues.
  ///   - progress: Is told how far the import is.
  ///   - taken: Is told of each file from which something was imported.
  /// - Returns: What was added, and what could not be imported.
  /// - Throws: ``FormatError``, when a file can't be read; `KeepsakeError`, when the store can't take it.
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

  /// Imports one file that is not packed.
  func take(
    _ file: ForeignFile, _ format: String?, _ session: Session?
  ) async throws -> ImportReport {
    let codec = try format.map(Codecs.named) ?? Codecs.recognised(file)
    var report = try await codec.take(file, into: self, session)
    // A codec reports the last name, which is what the store keeps; the report needs the person's name.
    report.skipped = report.skipped.map { skipped in
      skipped.path == file.lastName
        ? .init(path: file.name, line: skipped.line, reason: skipped.reason, isKept: skipped.isKept)
        : skipped
    }
    return report
  }
}

extension KeepsakeError {
  /// Whether the fault lies in the file that was imported, so that the next file may succeed.
  package var isAboutFile: Bool {
    [.refused, .invalid, .tooLarge, .conflict, .outOfRange, .diverged].contains(code)
  }
}
