#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension Format {
  /// Refuses a file of which an import takes nothing, before there is a store to take it into.
  /// - Parameters:
  ///   - url: The file.
  ///   - format: The name of its format; nil to go by what its content shows.
  package static func requireReadable(_ url: URL, as format: String?) throws {
    let file = try ForeignFile(path: FormatError.path(of: url, .unreadable))
    _ = try format.map(Codecs.named) ?? Codecs.recognised(file)
  }
}
