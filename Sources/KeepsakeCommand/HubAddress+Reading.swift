import Keepsake

extension HubAddress {
  /// Reads the address of a hub, of whatever kind.
  init(readingFrom text: String) throws { try self.init(text) }
}

extension KeepsakeError {
  /// Tells whether the hub can't be reached now, and may be later.
  var isOfUnreachableHub: Bool { cause as? HubFault == .unreachable }
}
