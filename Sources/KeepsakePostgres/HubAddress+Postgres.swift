public import Keepsake

extension HubAddress {
  /// The hub in a database of PostgreSQL, such as `postgresql://user@host/database`.
  ///
  /// With `?keepsake_space=team`, the stores of the address see a part of the hub that others never see. A password stands where
  /// libpq looks for it, such as in `~/.pgpass`, and never in the address.
  /// - Parameter text: The address, as libpq reads it.
  /// - Returns: The address of the hub.
  /// - Throws: A `KeepsakeError` with the code `invalid` if the text is no such address, or has a password in it.
  public static func postgres(_ text: String) throws -> HubAddress {
    let address = try PostgresAddress(text)
    return HubAddress(address.text) {
      try await PostgresHub.open(
        at: text, expecting: $0.id, making: $0.mayMake, upgrading: $0.mayUpgrade)
    }
  }
}
