#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles
public import Keepsake

extension Store {
  /// Writes sessions to one file where the format can hold several, else to a file for each session.
  ///
  /// Each file, and the folder of artifacts beside it, appears only when it is complete, so a failure or a crash
  /// leaves no partial file. Files that were written before a failure stay. A file name that is not given consists of
  /// the session's title and the beginning of its id. Several HTML pages get an `index.html` that lists them. No more than one entry and a piece of an attachment is held in
  /// memory. While the export runs, no artifact's file is swept away.
  /// - Parameters:
  ///   - sessions: Sessions of this store. Nothing is written where there are none.
  ///   - format: The name of the format.
  ///   - url: The file or folder. It is a folder where one exists, where the URL ends in a slash, and where each
  ///     session needs a file of its own. A missing folder is made.
  ///   - options: How the sessions are written.
  ///   - mayReplace: Whether existing files are replaced, and with them the folders of artifacts of earlier exports.
  ///     A folder that holds anything else is refused.
  ///   - progress: Is told of each file when it is complete; what it throws ends the export.
  /// - Returns: The files that were written, and a count of what the format could not express.
  /// - Throws: ``FormatError``, when a file can't be written; `KeepsakeError`, when a session can't be read.
  @concurrent @discardableResult
  public func export(
    _ sessions: [Session], as format: String, to url: URL, options: ExportOptions = .init(),
    replacing mayReplace: Bool = false,
    progress: @Sendable (ExportReport.File) throws -> Void = { _ in }
  ) async throws -> ExportReport {
    _ = try FormatError.path(of: url, .unwritable)
    let codec = try Codecs.named(format)
    let options = try options.completed(for: codec.format)
    if sessions.isEmpty { return ExportReport() }
    return try await withoutSweeps {
      try await FormatError.writing {
        let plan = try await ExportPlan(sessions, codec, to: url)
        do {
          return try await plan.write(
            codec, as: format, options, replacing: mayReplace, progress: progress)
        } catch {
          try plan.giveUp()
          throw error
        }
      }
    }
  }

  /// Writes sessions as one file of a format, and passes it to a closure piece by piece.
  /// - Parameters:
  ///   - sessions: Sessions of this store; exactly one, unless the format can hold several.
  ///   - format: The name of the format.
  ///   - options: How the sessions are written. Artifacts can't be written as files here.
  ///   - take: Takes the next piece of the file; what it throws ends the export.
  /// - Returns: A count of what the format could not express.
  /// - Throws: ``FormatError``, when the format can't be written this way; `KeepsakeError`, when a session can't be
  ///   read.
  @concurrent @discardableResult
  public func export(
    _ sessions: [Session], as format: String, options: ExportOptions = .init(),
    into take: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws -> Losses {
    let codec = try Codecs.named(format)
    let options = try options.completed(for: codec.format, isStream: true)
    if sessions.count != 1, !(codec is any CollectionCodec.Type) {
      throw FormatError(
        .unsupported,
        "A file of the format '\(codec.format.name)' holds one session, not \(sessions.count). Write them to a folder, a file each."
      )
    }
    return try await withoutSweeps {
      try await codec.write(sessions, as: format, options, into: ExportOutput(take: take))
    }
  }
}

extension ExportPlan {
  fileprivate func write(
    _ codec: any Codec.Type, as format: String, _ options: ExportOptions,
    replacing mayReplace: Bool,
    progress: @Sendable (ExportReport.File) throws -> Void
  ) async throws -> ExportReport {
    try requireFree(artifacts: options.artifacts, replacing: mayReplace)
    var report = ExportReport()
    for planned in files {
      let file = try ExportFile(
        planned.name, in: folder, artifacts: options.artifacts, replacing: mayReplace,
        of: planned.sessions[0])
      let losses = try await codec.write(
        planned.sessions, as: format, options, into: file.output)
      try file.finish()
      let written = ExportReport.File(
        url: planned.url, sessions: planned.sessions.map(\.id), artifacts: file.artifactCount,
        losses: losses)
      report.files.append(written)
      try progress(written)
    }
    report.list = try await writeList(codec, options, replacing: mayReplace)
    return report
  }

  /// Writes the file that lists the others, when all of them are there.
  private func writeList(
    _ codec: any Codec.Type, _ options: ExportOptions, replacing mayReplace: Bool
  ) async throws -> URL? {
    guard let list, let codec = codec as? any ListingCodec.Type, let first = files.first else {
      return nil
    }
    let file = try ExportFile(
      list, in: folder, artifacts: options.artifacts == ExportOptions.Artifacts.none ? nil : .files,
      replacing: mayReplace, of: first.sessions[0])
    try await codec.writeList(
      of: files.map { ($0.sessions[0], $0.name) }, options, into: file.output)
    try file.finish()
    return first.url.deletingLastPathComponent().appending(
      path: list, directoryHint: .notDirectory)
  }
}

extension Codec {
  /// Writes sessions into one file; a codec that is no ``CollectionCodec`` takes exactly one.
  fileprivate static func write(
    _ sessions: [Session], as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses {
    if let codec = self as? any CollectionCodec.Type {
      return try await codec.write(sessions, as: name, options, into: output)
    }
    precondition(sessions.count == 1, "The codec '\(format.name)' writes one session a file.")
    return try await write(sessions[0], as: name, options, into: output)
  }
}
