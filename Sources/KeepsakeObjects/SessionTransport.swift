#if canImport(Darwin)
  import Foundation
  import KeepsakeFiles

  /// Carries requests by the system's own client of HTTP.
  package final class SessionTransport: NSObject, ObjectTransport {
    /// The most requests at once.
    private static let limit = 16

    private let session: URLSession

    package override init() {
      let settings = URLSessionConfiguration.ephemeral
      settings.httpMaximumConnectionsPerHost = Self.limit
      settings.urlCache = nil
      settings.urlCredentialStorage = nil
      settings.httpCookieStorage = nil
      settings.httpShouldSetCookies = false
      settings.requestCachePolicy = .reloadIgnoringLocalAndRemoteCacheData
      settings.timeoutIntervalForRequest = 20
      session = URLSession(configuration: settings)
      super.init()
    }

    package func send(_ call: ObjectCall) async throws(TransportFault) -> ObjectAnswer {
      guard let url = URL(string: call.url) else {
        throw TransportFault(.lasting, "its address is none")
      }
      var request = URLRequest(url: url)
      request.httpMethod = call.method
      for (name, value) in call.headers { request.setValue(value, forHTTPHeaderField: name) }
      if !call.body.isEmpty { request.httpBody = Data(call.body) }
      request.timeoutInterval = max(1, call.timeout / .seconds(1))
      let (bytes, response): (URLSession.AsyncBytes, URLResponse)
      do {
        (bytes, response) = try await session.bytes(for: request, delegate: self)
      } catch { throw Self.fault(error) }
      guard let response = response as? HTTPURLResponse else {
        throw TransportFault(.lasting, "its answer is not one of HTTP")
      }
      var body: [UInt8] = []
      do {
        for try await byte in bytes {
          guard body.count < call.largestAnswer else {
            throw TransportFault(.lasting, "its answer is larger than it can be")
          }
          body.append(byte)
        }
      } catch { throw Self.fault(error) }
      var headers: [String: String] = [:]
      for (name, value) in response.allHeaderFields {
        headers["\(name)".lowercased()] = "\(value)"
      }
      return ObjectAnswer(status: response.statusCode, headers: headers, body: body)
    }

    package func close() async { session.finishTasksAndInvalidate() }

    private static func fault(_ error: any Error) -> TransportFault {
      if let fault = error as? TransportFault { return fault }
      let reason = error.localizedDescription
      switch (error as? URLError)?.code {
      case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet:
        return TransportFault(.unreached, reason)
      case .timedOut, .networkConnectionLost, .badServerResponse, .cannotParseResponse,
        .cannotDecodeRawData:
        return TransportFault(.passing, reason)
      default: return TransportFault(.lasting, reason)
      }
    }
  }

  extension SessionTransport: URLSessionTaskDelegate {
    package func urlSession(
      _ session: URLSession, task: URLSessionTask,
      willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest
    ) async -> URLRequest? { nil }
  }
#endif
