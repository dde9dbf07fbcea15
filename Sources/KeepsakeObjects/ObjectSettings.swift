import Keepsake
import KeepsakeFiles

/// Where an object store is, and with which keys it is used, as the environment and the usual files say.
///
/// The keys are read when they are needed, and are never written anywhere.
package struct ObjectSettings: Sendable {
  private let environment: [String: String]
  private let home: String?

  /// Creates settings of an environment.
  /// - Parameters:
  ///   - environment: The variables of the process.
  ///   - home: The folder in which `.aws` may be; nil for `HOME`.
  package init(environment: [String: String], home: String? = nil) {
    self.environment = environment
    self.home = home ?? environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The file of certificates that the servers' certificates are checked with; nil for the system's.
  var certificates: String? { value("AWS_CA_BUNDLE") }

  /// The region that requests are signed for.
  func region() throws(KeepsakeError) -> String {
    if let region = value("AWS_REGION") ?? value("AWS_DEFAULT_REGION") { return region }
    return try setting("region") ?? "us-east-1"
  }

  /// The server of a bucket.
  func endpoint(of bucket: String, region: String) throws(KeepsakeError) -> ObjectEndpoint {
    if let url = value("AWS_ENDPOINT_URL_S3") ?? value("AWS_ENDPOINT_URL") {
      return try ObjectEndpoint(url: url)
    }
    if value("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")?.lowercased() != "true",
      let url = try setting("endpoint_url")
    {
      return try ObjectEndpoint(url: url)
    }
    // The region becomes a part of a server's name.
    guard region.utf8.allSatisfy(Set("abcdefghijklmnopqrstuvwxyz0123456789-".utf8).contains) else {
      throw KeepsakeError(
        .invalid,
        "The region (AWS_REGION) can't be used. Write it as Amazon does, like 'eu-central-1'.")
    }
    return ObjectEndpoint(region: region, bucket: bucket)
  }

  /// Reads the keys.
  /// - Throws: An error that says where keys were looked for.
  func credentials() throws(KeepsakeError) -> ObjectCredentials {
    if let id = value("AWS_ACCESS_KEY_ID"), let secret = value("AWS_SECRET_ACCESS_KEY") {
      return ObjectCredentials(keyID: id, secret: secret, token: value("AWS_SESSION_TOKEN"))
    }
    let files = try [read(credentialsPath), read(configPath)].compactMap(\.self)
    for file in files {
      guard let profile = file.profile(profileName), let id = profile["aws_access_key_id"],
        let secret = profile["aws_secret_access_key"]
      else { continue }
      return ObjectCredentials(keyID: id, secret: secret, token: profile["aws_session_token"])
    }
    let ways = ["credential_process", "sso_session", "sso_start_url", "role_arn"]
    let profile = files.compactMap { $0.profile(profileName) }
    if ways.contains(where: { way in profile.contains { $0[way] != nil } }) {
      throw KeepsakeError(
        .permissionDenied,
        "The profile '\(profileName)' has no keys of its own: it gets them by signing in, or from a program. "
          + "Put them into the environment with 'aws configure export-credentials --format env'.",
        cause: HubFault.unreachable)
    }
    throw KeepsakeError(
      .permissionDenied,
      "No keys for the object store were found: neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are set, "
        + "nor has a file in '~/.aws' the profile '\(profileName)' with keys. Set them, or name another profile in AWS_PROFILE.",
      cause: HubFault.unreachable)
  }

  private var profileName: String {
    value("AWS_PROFILE") ?? value("AWS_DEFAULT_PROFILE") ?? "default"
  }
  private var credentialsPath: String? {
    value("AWS_SHARED_CREDENTIALS_FILE") ?? home.map { "\($0)/.aws/credentials" }
  }
  private var configPath: String? { value("AWS_CONFIG_FILE") ?? home.map { "\($0)/.aws/config" } }

  /// A variable that is set to something.
  private func value(_ name: String) -> String? {
    environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A setting of the profile that is no key.
  private func setting(_ name: String) throws(KeepsakeError) -> String? {
    try read(configPath)?.profile(profileName)?[name]
  }

  /// Reads a file of profiles; nil where there is none.
  private func read(_ path: String?) throws(KeepsakeError) -> ProfileFile? {
    guard let path else { return nil }
    do throws(FileError) {
      let bytes = try OutsideFile.open(path).readAll(limit: 1 << 20)
      return ProfileFile(String(decoding: bytes, as: UTF8.self))
    } catch {
      if error.code == .notFound || error.code == .notDirectory { return nil }
      throw KeepsakeError(
        .permissionDenied, "Can't read the keys for the object store. \(error.message)",
        object: path, cause: HubFault.unreachable)
    }
  }
}
