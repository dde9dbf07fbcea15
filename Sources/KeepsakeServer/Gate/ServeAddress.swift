/// Addresses at which a server listens.
package enum ServeAddress {
  /// Returns whether an address stands for every address of the machine. Nobody asks for that one by name, so a server that
  /// listens there has to be told by which names it is asked.
  package static func isWildcard(_ address: String) -> Bool {
    ["0.0.0.0", "::"].contains(address)
      || address.utf8.allSatisfy { $0 == 0x30 || $0 == 0x3A || $0 == 0x2E }
  }
}
