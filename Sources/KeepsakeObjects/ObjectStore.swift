#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import Keepsake
import KeepsakeFiles

/// A client of an object store that speaks Amazon's S3, for one bucket.
///
/// Every call is repeated while that makes sense: after a connection that ended, and where the server asks to come back. So a
/// call that changes something may be done twice, which every caller has to allow for. What comes back is what the server
/// sent; whether it is what was once written, the caller checks by its own digests.
package final class ObjectStore: Sendable {
  /// The most bytes that an answer in XML may have: a page of a thousand keys needs a quarter of it.
  private static let largestAnswer = 8 << 20

  /// The place that the store is used for, for messages.
  package let address: ObjectAddress
  private let settings: ObjectSettings
  private let endpoint: ObjectEndpoint
  private let transport: any ObjectTransport
  let patience: ObjectPatience
  private let state: Locked<State>

  private struct State {
    var signer: ObjectSigner
    /// The seconds that the server's clock is ahead of ours.
    var ahead: Int64 = 0
  }

  /// Creates a client. Nothing is sent yet.
  /// - Parameters:
  ///   - address: The bucket, and the place in it.
  ///   - settings: Where the server is, and with which keys it is used.
  ///   - patience: How long it is asked again.
  /// - Throws: An error that says which setting is missing, or that libcurl is.
  package init(
    _ address: ObjectAddress, _ settings: ObjectSettings, patience: ObjectPatience = .init()
  ) throws(KeepsakeError) {
    self.address = address
    self.settings = settings
    self.patience = patience
    let region = try settings.region()
    endpoint = try settings.endpoint(of: address.bucket, region: region)
    let signer = ObjectSigner(credentials: try settings.credentials(), region: region)
    state = Locked(State(signer: signer))
    #if canImport(Darwin)
      transport = SessionTransport()
    #else
      transport = try CurlTransport(
        certificates: endpoint.scheme == "https" ? settings.certificates : nil)
    #endif
  }

  /// Waits for what is under way, and lets go of the connections.
  package func close() async { await transport.close() }

  var credentials: ObjectCredentials { state.withLock { $0.signer.credentials } }
}

// MARK: - Requests

extension ObjectStore {
  /// A request before it is signed.
  struct Request: Sendable {
    var method: String
    /// The key of the object; nil for the bucket itself.
    var key: String?
    var query: [(name: String, value: String)] = []
    var headers: [String: String] = [:]
    var body: [UInt8] = []
    var largestAnswer = ObjectStore.largestAnswer
  }

  /// Sends a request until there is an answer that will not change by asking again.
  /// - Throws: An error that says that no answer came.
  func send(_ request: Request) async throws -> ObjectAnswer {
    let deadline = Instant.now.advanced(by: patience.total)
    var attempt = 0
    var renewals = 0
    while true {
      attempt += 1
      let call = signed(request)
      let wait: Duration
      let failure: KeepsakeError
      do throws(TransportFault) {
        let answer = try await transport.send(call)
        let refusal = answer.isGood ? nil : ObjectRefusal(answer)
        if let refusal, renewals < 2, try renewed(after: refusal, answer) {
          renewals += 1
          continue
        }
        guard let refusal, Self.mayPass(answer, refusal) else { return answer }
        wait = Self.asked(answer) ?? patience.pause(after: attempt)
        failure = .objects("\(address)", refusal: answer, hiding: credentials)
      } catch {
        wait = patience.pause(after: attempt)
        failure = .objects("\(address)", unreachable: hidden(error))
        switch error.kind {
        case .lasting: throw failure
        case .unreached where attempt >= patience.attemptsUnreached: throw failure
        default: break
        }
      }
      guard Instant.now.advanced(by: wait) < deadline else { throw failure }
      try await Task.sleep(for: wait)
    }
  }

  /// Makes an error of an answer that is none of those that the caller understands.
  func refusal(_ answer: ObjectAnswer) -> KeepsakeError {
    .objects("\(address)", refusal: answer, hiding: credentials)
  }

  private func signed(_ request: Request) -> ObjectCall {
    let (signer, ahead) = state.withLock { ($0.signer, $0.ahead) }
    var headers = request.headers
    headers["host"] = endpoint.authority
    let hasBody = request.method == "PUT" || request.method == "POST"
    let digest = SHA256.digest(of: request.body)
    if hasBody, headers["content-type"] == nil {
      headers["content-type"] = "application/octet-stream"
    }
    if request.method == "PUT" {
      // Each server checks another one of these and the digest that is signed, and ignores the others.
      headers["content-md5"] = Data(MD5.digest(of: request.body)).base64EncodedString()
      // For parts of an object this would have to be announced, and said again at the end.
      if request.query.isEmpty {
        headers["x-amz-checksum-sha256"] = Data(digest.bytes).base64EncodedString()
      }
    }
    let path = endpoint.path(bucket: address.bucket, key: request.key)
    headers = signer.signed(
      request.method, path, query: request.query, headers: headers, payload: digest,
      at: WallClock.seconds + ahead)
    headers["host"] = nil
    let query = ObjectSigner.text(request.query)
    return ObjectCall(
      method: request.method,
      url: "\(endpoint.scheme)://\(endpoint.authority)\(path)\(query.isEmpty ? "" : "?\(query)")",
      headers: headers, body: request.body, largestAnswer: request.largestAnswer,
      timeout: patience.timeout(bytes: request.body.count + request.largestAnswer))
  }

  private func hidden(_ fault: TransportFault) -> TransportFault {
    TransportFault(fault.kind, credentials.hidden(in: KeepsakeError.plain(fault.reason)))
  }

  /// Reads the keys again when they ran out, and sets our clock by the server's; false where nothing became another.
  private func renewed(after refusal: ObjectRefusal, _ answer: ObjectAnswer) throws(TransportFault)
    -> Bool
  {
    switch refusal.code {
    case "ExpiredToken", "TokenRefreshRequired", "ExpiredTokenException":
      guard let found = try? settings.credentials(), found != credentials else { return false }
      state.withLock {
        $0.signer = ObjectSigner(credentials: found, region: $0.signer.region)
      }
      return true
    case "RequestTimeTooSkewed":
      guard let date = answer.headers["date"].flatMap(HTTPDate.seconds) else { return false }
      state.withLock { $0.ahead = date - WallClock.seconds }
      return true
    default: return false
    }
  }

  /// Tells whether the server may answer otherwise when it is asked again.
  private static func mayPass(_ answer: ObjectAnswer, _ refusal: ObjectRefusal) -> Bool {
    let codes = [
      "RequestTimeout", "SlowDown", "ConditionalRequestConflict", "OperationAborted",
      "InternalError",
      "ServiceUnavailable", "BadDigest", "XAmzContentSHA256Mismatch",
    ]
    return [408, 425, 429, 500, 502, 503, 504].contains(answer.status)
      || codes.contains(refusal.code)
  }

  /// The pause that the server asks for; nil where it asks for none.
  private static func asked(_ answer: ObjectAnswer) -> Duration? {
    guard let text = answer.headers["retry-after"] else { return nil }
    if let seconds = Int64(text), (0...86_400).contains(seconds) { return .seconds(seconds) }
    guard let date = HTTPDate.seconds(text) else { return nil }
    return .seconds(max(0, min(86_400, date - WallClock.seconds)))
  }
}
