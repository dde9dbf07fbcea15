#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles
public import Keepsake

extension Store {
  /// Writes sessions to one file, where the format can hold several; else to a file each.
  ///
  /// Each file is seen when all of it is there, and so is the folder of artifacts beside it: a failure or a crash leaves
  /// none of them half. Files that were written before a failure stay. Names that are ours to choose have the session's
  /// title and the beginning of its id. While it runs, no file of an artifact can be swept away. No more than one entry and
  /// a piece of an attachment is held in memory.
  /// - Parameters:
  ///   - sessions: Sessions of this store. For none of them nothing is written.
  ///   - format: The format's name.
  ///   - url: The file; or a folder, which it is where one is there, where the URL ends in a slash, and where each session
  ///     needs a file of its own. A folder that is not there is made.
  ///   - options: How they are written.
  ///   - mayReplace: Whether what is there already is replaced: files, and with their artifacts the folders of earlier
  ///     exports beside them. A folder in which there is anything else is refused.
  ///   - progress: Told of each file once it is there.
  /// - Returns: What was written, and what the format could not express.
  /// - Throws: ``FormatError``, when a file can't be written; `KeepsakeError`, when something can't be read.
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

  /// Writes sessions as one file of a format has them, piece by piece.
  /// - Parameters:
  ///   - sessions: Sessions of this store; one, unless the format can hold several.
  ///   - format: The format's name.
  ///   - options: How they are written; there is no place for artifacts beside.
  ///   - take: Takes the next piece of the file.
  /// - Returns: What the format could not express.
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
    return report
  }
}

extension Codec {
  /// Writes sessions into one file: one, or as many as the codec can put into one.
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
