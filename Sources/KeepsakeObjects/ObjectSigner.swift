import KeepsakeFiles

/// Signs requests as Amazon's Signature Version 4 wants it.
struct ObjectSigner: Sendable {
  private static let algorithm = "AWS4-HMAC-SHA256"

  let credentials: ObjectCredentials
  let region: String

  /// Returns the headers of a request with the signature, and all that belongs to it, added.
  /// - Parameters:
  ///   - method: The method of HTTP.
  ///   - path: The path as it is sent, encoded.
  ///   - query: The names and values of the query, not encoded.
  ///   - headers: The headers that are sent, with `host` among them, by their names in lower case. All are signed.
  ///   - payload: The digest of the body.
  ///   - seconds: The time of the request, in seconds since 1970.
  func signed(
    _ method: String, _ path: String, query: [(name: String, value: String)],
    headers: [String: String], payload: SHA256Digest, at seconds: Int64
  ) -> [String: String] {
    let (day, time) = Self.stamp(seconds)
    var headers = headers
    headers["x-amz-content-sha256"] = payload.hex
    headers["x-amz-date"] = time
    if let token = credentials.token { headers["x-amz-security-token"] = token }
    let sorted = headers.sorted { $0.key < $1.key }
    let names = sorted.map(\.key).joined(separator: ";")
    let canonical = [
      method, path, Self.text(query), sorted.map { "\($0.key):\($0.value)\n" }.joined(), names,
      payload.hex,
    ].joined(separator: "\n")
    let scope = "\(day)/\(region)/s3/aws4_request"
    let digest = SHA256.digest(of: Array(canonical.utf8)).hex
    let message = [Self.algorithm, time, scope, digest].joined(separator: "\n")
    let signature = HMAC.code(of: Array(message.utf8), key: key(day))
    headers["authorization"] =
      "\(Self.algorithm) Credential=\(credentials.keyID)/\(scope), SignedHeaders=\(names), "
      + "Signature=\(Self.hex(signature))"
    return headers
  }

  /// A query as it is sent and signed: encoded, and sorted by what that gives.
  static func text(_ query: [(name: String, value: String)]) -> String {
    query.map { (PercentEncoding.encoded($0.name), PercentEncoding.encoded($0.value)) }
      .sorted { $0 < $1 }.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
  }

  private func key(_ day: String) -> [UInt8] {
    [day, region, "s3", "aws4_request"].reduce(Array("AWS4\(credentials.secret)".utf8)) {
      HMAC.code(of: Array($1.utf8), key: $0)
    }
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    SHA256Digest(bytes: bytes)?.hex ?? ""
  }

  /// The day, and the moment, as signatures write them.
  static func stamp(_ seconds: Int64) -> (day: String, time: String) {
    let date = HTTPDate(seconds: seconds)
    let day = date.year * 10_000 + date.month * 100 + date.day
    let clock = 1_000_000 + date.hour * 10_000 + date.minute * 100 + date.second
    return ("\(day)", "\(day)T\("\(clock)".dropFirst())Z")
  }
}
