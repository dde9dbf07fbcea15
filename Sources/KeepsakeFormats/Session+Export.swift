#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import Files
public import Keepsake

extension Session {
  /// Writes the session as a foreign format has it, piece by piece: no more than one entry and a piece of an attachment is
  /// held in memory.
  ///
  /// What was imported from that format and did not change is written as it stood in its file.
  /// - Parameters:
  ///   - format: The format's name.
  ///   - options: How it is written.
  ///   - take: Takes the next piece of the file.
  /// - Returns: What the format could not express.
  @concurrent @discardableResult
  public func export(
    as format: String, options: ExportOptions = .init(),
    into take: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws -> Losses {
    let codec = try Codecs.named(format)
    let options = try options.completed(for: codec.format)
    return try await codec.write(self, as: format, options, into: ExportOutput(take: take))
  }

  /// Writes the session to a file, as a foreign format has it; the file is seen when all of it is there.
  /// - Parameters:
  ///   - format: The format's name.
  ///   - url: The file.
  ///   - options: How it is written.
  ///   - mayReplace: Whether a file that is there already is replaced.
  /// - Returns: What the format could not express.
  @concurrent @discardableResult
  public func export(
    as format: String, to url: URL, options: ExportOptions = .init(),
    replacing mayReplace: Bool = false
  ) async throws -> Losses {
    let codec = try Codecs.named(format)
    do {
      let folder = try Directory(path: url.deletingLastPathComponent().path)
      let file = try NewFile(url.lastPathComponent, in: folder, replacing: mayReplace)
      let losses = try await codec.write(
        self, as: format, options.completed(for: codec.format),
        into: ExportOutput { try file.write($0) })
      try file.finish()
      return losses
    } catch let error as FileError {
      throw FormatError.writing(error)
    }
  }
}

extension ExportOptions {
  /// The same, with the format's own way where none is asked for.
  fileprivate func completed(for format: Format) throws -> ExportOptions {
    var options = self
    options.artifacts = artifacts ?? format.artifacts.first
    if let artifacts, !format.artifacts.contains(artifacts) {
      let ways = format.artifacts.map { "'\($0.rawValue)'" }.joined(separator: " or ")
      throw FormatError(
        .unsupported,
        "The format '\(format.name)' can't have its artifacts '\(artifacts.rawValue)'. Ask for \(ways)."
      )
    }
    if resumption != nil, !format.resumes {
      throw FormatError(
        .unsupported,
        "The format '\(format.name)' is not one that a model goes on from, so nothing can be fitted to it. Choose another one, such as 'apple'."
      )
    }
    return options
  }
}
