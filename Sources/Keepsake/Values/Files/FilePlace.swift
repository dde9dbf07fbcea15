#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Returns the path that a URL names on this machine; a URL of the network is refused, although it has a path as well.
package enum FilePlace {
  package static func path(of url: URL) throws -> String {
    guard url.isFileURL else {
      throw KeepsakeError(
        .invalid,
        "'\(url.absoluteString)' is no place on this machine's disk. Give a file URL, as URL(filePath:) makes it.",
        object: url.absoluteString)
    }
    return url.path
  }
}
