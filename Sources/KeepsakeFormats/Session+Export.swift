#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles
public import Keepsake

extension Session {
  /// Writes the session as a foreign format has it, piece by piece: no more than one entry and a piece of an attachment is
  /// held in memory.
  ///
  /// What was imported from that format and did not change is written as it stood in its file. While it runs, no file of
  /// an artifact can be swept away.
  /// - Parameters:
  ///   - format: The format's name.
  ///   - options: How it is written; there is no place for artifacts beside.
  ///   - take: Takes the next piece of the file.
  /// - Returns: What the format could not express.
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

  /// Writes the session to a file, as a foreign format has it; the file is seen when all of it is there, and so is the
  /// folder of artifacts beside it.
  /// - Parameters:
  ///   - format: The format's name.
  ///   - url: The file.
  ///   - options: How it is written.
  ///   - mayReplace: Whether what is there already is replaced: the file, and with its artifacts the folder of an earlier
  ///     export beside it. A folder in which there is anything else is refused.
  /// - Returns: What the format could not express.
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
  /// The same, with the format's own way where none is asked for.
  /// - Parameters:
  ///   - format: The format that is written.
  ///   - isStream: Whether there is no place for files beside.
  func completed(for format: Format, isStream: Bool = false) throws -> ExportOptions {
    if let fault = fault(for: format, isStream: isStream) { throw FormatError(fault, format) }
    var options = self
    options.artifacts = artifacts ?? format.artifacts.first { !isStream || $0 != .files }
    return options
  }
}
