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
  /// file again adds nothing; one that grew adds what is new.
  /// - Parameters:
  ///   - url: The file.
  ///   - format: The name of its format; nil to go by what its content shows.
  /// - Returns: What was added, and what could not be taken over as it should have been.
  /// - Throws: ``FormatError``, when it can't be read; `KeepsakeError`, when the store can't take it.
  @concurrent @discardableResult
  public func importFile(at url: URL, format: String? = nil) async throws -> ImportReport {
    let file = try ForeignFile(path: url.path)
    let codec = try format.map(Codecs.named) ?? Codecs.recognised(file)
    return try await codec.take(file, into: self)
  }
}
