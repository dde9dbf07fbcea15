#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles
public import Keepsake

extension Session {
  /// Writes the session in a format and passes the file to a closure, piece by piece.
  ///
  /// A session that was imported from the same format and has not changed is written as it stood in its file. No more
  /// than one entry and a piece of an attachment is held in memory. While the export runs, no artifact's file is
  /// swept away.
  /// - Parameters:
  ///   - format: The name of the format.
  ///   - options: How the session is written. Artifacts can't be written as files here.
  ///   - take: Takes the next piece of the file; what it throws ends the export.
  /// - Returns: A count of what the format could not express.
  /// - Throws: ``FormatError``, when the format can't be written this way; `KeepsakeError`, when the session can't be
  ///   read.
  @concurrent @discardableResult
  public func export(
    as format: String, options: ExportOptions = .init(),
    into take: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws -> Losses {
    let codec = try Codecs.named(format)
    let options = try options.completed(for: codec.format, isStream: true)
    return try await withoutSweeps {
      try await codec.write(self, as: format, options, into: ExportOutput(take: take))
    }
  }

  /// Writes the session to a file in a format.
  ///
  /// The file, and the folder of artifacts beside it, appear only when they are complete.
  /// - Parameters:
  ///   - format: The name of the format.
  ///   - url: The file.
  ///   - options: How the session is written.
  ///   - mayReplace: Whether an existing file is replaced, and with it the folder of artifacts of an earlier export.
  ///     A folder that holds anything else is refused.
  /// - Returns: A count of what the format could not express.
  /// - Throws: ``FormatError``, when the file can't be written in the format; `KeepsakeError`, when the session can't
  ///   be read.
  @concurrent @discardableResult
  public func export(
    as format: String, to url: URL, options: ExportOptions = .init(),
    replacing mayReplace: Bool = false
  ) async throws -> Losses {
    _ = try FormatError.path(of: url, .unwritable)
    let codec = try Codecs.named(format)
    let options = try options.completed(for: codec.format)
    return try await withoutSweeps {
      try await FormatError.writing {
        let folder = try OutsideFile.folder(url.deletingLastPathComponent().path)
        let file = try ExportFile(
          url.lastPathComponent, in: ExportFile.cleared(folder), artifacts: options.artifacts,
          replacing: mayReplace, of: self)
        let losses = try await codec.write(self, as: format, options, into: file.output)
        try file.finish()
        return losses
      }
    }
  }
}

extension ExportOptions {
  /// Returns the options with the format's default for artifacts where none is asked for.
  /// - Parameters:
  ///   - format: The format that is written.
  ///   - isStream: Whether the output has no folder for files.
  /// - Throws: ``FormatError``, when the format can't do what the options ask for.
  func completed(for format: Format, isStream: Bool = false) throws -> ExportOptions {
    if let fault = fault(for: format, isStream: isStream) { throw FormatError(fault, format) }
    var options = self
    options.artifacts = artifacts ?? format.artifacts.first { !isStream || $0 != .files }
    return options
  }
}
