package import Keepsake

extension HubAddress {
  /// The hub in a bucket of an object store, such as `s3://bucket/prefix`.
  ///
  /// - Parameters:
  ///   - text: The address.
  ///   - environment: The environment variables that say where the server is, and with which keys it is used.
  package static func objects(_ text: String, environment: [String: String]) throws -> HubAddress {
    let address = try ObjectAddress(text)
    return HubAddress("\(address)") {
      try await ObjectHub.open(
        at: text, ObjectSettings(environment: environment), expecting: $0.id, peer: $0.peer,
        making: $0.mayMake)
    }
  }
}
