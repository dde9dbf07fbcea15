package import Keepsake

/// The server of an object store, and how its addresses are made.
package struct ObjectEndpoint: Sendable, Hashable {
  /// Either `http` or `https`.
  package let scheme: String
  /// The name of the server, with its port where that is not the usual one.
  package let authority: String
  /// Tells whether the bucket stands in the path, and not before the server's name.
  package let isPathStyle: Bool

  /// The endpoint of Amazon's own service in a region.
  package init(region: String, bucket: String) {
    scheme = "https"
    let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
    // A certificate for `*.s3…` does not cover a name with points.
    isPathStyle = bucket.contains(".")
    let host = "s3.\(region).\(domain)"
    authority = isPathStyle ? host : "\(bucket).\(host)"
  }

  /// Reads the address of somebody's own server, which has the bucket in the path.
  /// - Throws: An error that does not repeat the address, which may hold a password.
  package init(url: String) throws(KeepsakeError) {
    let parts = url.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 3, parts[1].isEmpty, ["http:", "https:"].contains(parts[0].lowercased())
    else { throw Self.refusal("it does not begin with 'http://' or 'https://'") }
    guard parts.dropFirst(3).allSatisfy(\.isEmpty) else {
      throw Self.refusal("it has a path")
    }
    let authority = parts[2].lowercased()
    let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789.-:[]".utf8)
    guard !authority.isEmpty, authority.utf8.allSatisfy(allowed.contains) else {
      throw Self.refusal("the name of its server has other characters than names have")
    }
    scheme = String(parts[0].lowercased().dropLast())
    // A client sends no port that is the usual one, and the name that is signed is the one that is sent.
    let usual = scheme == "http" ? ":80" : ":443"
    self.authority =
      authority.hasSuffix(usual) ? String(authority.dropLast(usual.count)) : authority
    isPathStyle = true
  }

  /// The path of an object of a bucket, or of the bucket itself, as it is sent and signed.
  func path(bucket: String, key: String?) -> String {
    let start = isPathStyle ? "/\(bucket)" : ""
    guard let key else { return start.isEmpty ? "/" : start }
    return "\(start)/\(PercentEncoding.path(key))"
  }

  private static func refusal(_ reason: String) -> KeepsakeError {
    KeepsakeError(
      .invalid,
      "The address of the object store's server (AWS_ENDPOINT_URL) can't be used: \(reason). "
        + "Write it as 'https://server:port', without a name or a password.")
  }
}
