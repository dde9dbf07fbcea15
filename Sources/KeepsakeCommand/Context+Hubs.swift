import Keepsake
import KeepsakeObjects
import KeepsakePostgres

extension Context {
  /// Reads the address of a hub, of whatever kind.
  func hub(_ text: String) throws -> HubAddress {
    if text.hasPrefix("s3:") { return try .objects(text, environment: environment) }
    if text.hasPrefix("postgresql:") || text.hasPrefix("postgres:") { return try .postgres(text) }
    return try HubAddress(text)
  }
}

extension KeepsakeError {
  /// Tells whether the hub can't be reached now, and may be later.
  var isOfUnreachableHub: Bool { cause as? HubFault == .unreachable }
}
