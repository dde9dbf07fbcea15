#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The path that a URL names on this machine's disk. A URL of the network names none, though it has a path, too.
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
