#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeObjects
import KeepsakePostgres

extension Context {
  /// Reads the address of a hub, of whatever kind.
  func hub(_ text: String) throws -> HubAddress {
    if text.hasPrefix("s3:") { return try .objects(text, environment: environment) }
    if text.hasPrefix("postgresql:") || text.hasPrefix("postgres:") { return try .postgres(text) }
    // A person names a folder as in other commands.
    return try text.isEmpty || text.contains(":")
      ? HubAddress(text) : .folder(URL(filePath: text, directoryHint: .isDirectory))
  }
}

extension KeepsakeError {
  /// Tells whether the hub can't be reached now, and may be later.
  var isOfUnreachableHub: Bool { cause as? HubFault == .unreachable }
}
