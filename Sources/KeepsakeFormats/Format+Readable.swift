#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import Keepsake

extension Format {
  /// Refuses a file of which an import takes nothing, before there is a store to take it into.
  ///
  /// Reads all of a file that is one conversation.
  /// - Parameters:
  ///   - url: The file.
  ///   - format: The name of its format; nil to go by what its content shows.
  package static func requireReadable(_ url: URL, as format: String?) throws {
    let file = try ForeignFile(path: FormatError.path(of: url, .unreadable))
    let codec = try format.map(Codecs.named) ?? Codecs.recognised(file)
    try codec.requireReadable(file)
  }
}
