package import Keepsake

extension HubAddress {
  /// The hub in a database of PostgreSQL, such as `postgresql://user@host/database?keepsake_space=team`.
  ///
  /// A password stands where libpq looks for it, and never in the address.
  /// - Parameter text: The address.
  package static func postgres(_ text: String) throws -> HubAddress {
    let address = try PostgresAddress(text)
    return HubAddress(address.text) {
      try await PostgresHub.open(at: text, expecting: $0.id, making: $0.mayMake)
    }
  }
}
