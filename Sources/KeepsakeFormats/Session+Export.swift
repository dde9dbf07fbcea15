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
  ///   - take: Takes the next piece of the file.
  /// - Returns: What the format could not express.
  @concurrent @discardableResult
  public func export(
    as format: String, into take: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws -> Losses {
    try await Codecs.named(format).write(self, as: format, into: take)
  }

  /// Writes the session to a file, as a foreign format has it; the file is seen when all of it is there.
  /// - Parameters:
  ///   - format: The format's name.
  ///   - url: The file.
  ///   - mayReplace: Whether a file that is there already is replaced.
  /// - Returns: What the format could not express.
  @concurrent @discardableResult
  public func export(as format: String, to url: URL, replacing mayReplace: Bool = false)
    async throws -> Losses
  {
    let codec = try Codecs.named(format)
    do {
      let folder = try Directory(path: url.deletingLastPathComponent().path)
      let file = try NewFile(url.lastPathComponent, in: folder, replacing: mayReplace)
      let losses = try await codec.write(self, as: format) { try file.write($0) }
      try file.finish()
      return losses
    } catch let error as FileError {
      throw FormatError.writing(error)
    }
  }
}
