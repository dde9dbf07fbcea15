#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import Keepsake

extension HubAddress {
  /// The hub in a bucket of an object store, such as `s3://bucket/prefix`.
  ///
  /// The keys, and the server where that is not Amazon's, come from the environment and from the usual files, as for other
  /// programs that use S3: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT_URL`, `~/.aws/credentials`.
  /// - Parameters:
  ///   - text: The address.
  ///   - environment: The environment variables; nil for those of the process.
  /// - Returns: The address of the hub.
  /// - Throws: A `KeepsakeError` with the code `invalid` if the text is no such address, or has a key in it.
  public static func objects(_ text: String, environment: [String: String]? = nil) throws
    -> HubAddress
  {
    let address = try ObjectAddress(text)
    let environment = environment ?? ProcessInfo.processInfo.environment
    return HubAddress("\(address)") {
      try await ObjectHub.open(
        at: text, ObjectSettings(environment: environment), expecting: $0.id, peer: $0.peer,
        making: $0.mayMake)
    }
  }
}
