#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFiles
import KeepsakeHTTP
import KeepsakeMCP

/// The parts of a server that its routes share: the store, who may ask, and who listens.
final class ServerState: Sendable {
  let store: Store
  let options: StoreServer.Options
  let live: LiveStreams
  let uploads: Uploads
  /// Answers models; nil where the server does not.
  let models: HTTPEndpoint?
  private let router = Router(Routes.all)
  private let kept: AccessToken?
  private let opened: Locked<Gate>

  init(store: Store, options: StoreServer.Options, kept: AccessToken?) {
    self.store = store
    self.options = options
    self.kept = kept
    live = LiveStreams(store)
    uploads = Uploads(store)
    models = options.models.map { models in
      HTTPEndpoint(
        MCPServer(
          StoreAccess { store },
          options: .init(allowsWrites: models == .mayWrite && !options.isReadOnly)))
    }
    opened = Locked(Self.gate(options, port: nil, kept: kept))
  }

  var gate: Gate { opened.withLock { $0 } }
  var isReadOnly: Bool { options.isReadOnly }
  var now: Date { options.now() }

  /// The host and port by which a browser opens the server: of several the one at which it listens, and where that is
  /// every address of the machine, the first that was given. Nil for a socket in the file system.
  var authority: HTTPAuthority? {
    let gate = gate
    switch options.listener {
    case .loopback: return gate.authorities.first { $0.host == "127.0.0.1" }
    case .address(let address, _):
      let given = options.hosts.lazy.compactMap { HTTPAuthority($0) }.first
      if ServeAddress.isWildcard(address), let given { return given }
      return gate.authorities.first { $0.host == HTTPAuthority.own(address, port: nil).host }
    case .unix: return nil
    }
  }

  /// Learns the port, which is known once the listener is open.
  func open(at port: Int?) {
    opened.withLock { $0 = Self.gate(options, port: port, kept: kept) }
  }

  private static func gate(_ options: StoreServer.Options, port: Int?, kept: AccessToken?) -> Gate {
    var authorities: Set<HTTPAuthority> = []
    var isSocketFile = false
    switch options.listener {
    case .loopback:
      for host in ["127.0.0.1", "localhost", "[::1]"] {
        authorities.insert(HTTPAuthority(host: host, port: port))
      }
    case .address(let address, _): authorities.insert(.own(address, port: port))
    case .unix: isSocketFile = true
    }
    for host in options.hosts { if let given = HTTPAuthority(host) { authorities.insert(given) } }
    return Gate(authorities: authorities, isSocketFile: isSocketFile, port: port, kept: kept)
  }
}

extension HTTPAuthority {
  /// The host and port of an address at which the server listens.
  static func own(_ address: String, port: Int?) -> HTTPAuthority {
    HTTPAuthority(host: (address.contains(":") ? "[\(address)]" : address).lowercased(), port: port)
  }
}

// MARK: - Answering

extension ServerState: HTTPHandler {
  func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
    do {
      if try gate.check(head, .looks) == .invitation { return .accept(bodyLimit: 0) }
      let (route, _) = try router.route(head.method, head.path)
      if route.endpoint.isWriting, isReadOnly, !route.endpoint.isQuestion { throw Problem.readOnly }
      return try Self.admission(of: head, to: route.endpoint.body)
    } catch {
      return .refuse(refusal(Problem(error), head))
    }
  }

  private static func admission(
    of head: HTTPRequestHead, to body: Endpoint.Body
  ) throws(Problem) -> HTTPAdmission {
    let limit: Int
    switch body {
    case .bytes:
      guard head.fields["Content-Length"] != nil else {
        throw Problem(
          status: 411, code: "length",
          detail: "Say with 'Content-Length' how many bytes the artifact has.")
      }
      return .stream(bodyLimit: .max)
    case .none: limit = 0
    case .json(_, let most): limit = most
    case .message: limit = 1 << 20
    }
    if limit > 0 { try checkType(of: head) }
    guard head.contentLength <= limit else {
      throw Problem(
        status: 413, code: "too-large",
        detail: limit == 0
          ? "This address takes no body."
          : "The body is larger than \(limit) bytes. Send less at once.")
    }
    return .accept(bodyLimit: limit)
  }

  /// JSON is UTF-8, and it is sent as it is: what a form of another site can send is never read as JSON.
  private static func checkType(of head: HTTPRequestHead) throws(Problem) {
    let words = (head.fields["Content-Type"] ?? "").lowercased().split(separator: ";")
      .map { $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" } }
    let charsets = words.dropFirst().filter { $0.hasPrefix("charset=") }
    guard words.first == "application/json", charsets.allSatisfy({ $0 == "charset=utf-8" }) else {
      throw Problem(
        status: 415, code: "type", detail: "Send a body of the type application/json, in UTF-8.")
    }
  }

  func respond(to http: HTTPRequest) async -> HTTPResponse {
    let head = http.head
    do {
      if try gate.check(head, isOfAnotherUser(http) ? .isRefused : .uses) == .invitation {
        return secured(Welcome.answer(gate, to: head))
      }
      let (route, names) = try router.route(head.method, head.path)
      guard store.isInPlace || route is AssetRoute else { throw Problem.storeGone }
      let request = try Request(http, route.endpoint, names: names)
      // A secret that was used up is taken out of the address.
      if head.path.isEmpty, head.query("t") != nil {
        return secured(Welcome.answer(gate, to: head))
      }
      return secured(try await route.answer(request, in: self))
    } catch {
      return refusal(Problem(error), head)
    }
  }

  /// Returns whether a program of another user of this machine opens the printed link.
  ///
  /// The result is always false for a server behind a proxy, because the proxy may run as another user.
  private func isOfAnotherUser(_ request: HTTPRequest) -> Bool {
    guard request.head.path.isEmpty, request.head.query("t") != nil, options.hosts.isEmpty,
      case .loopback = options.listener
    else { return false }
    return request.isOfAnotherUser
  }

  func answer(to refusal: HTTPRefusal) -> HTTPResponse { secured(Problem(refusal).json) }

  private func refusal(_ problem: Problem, _ head: HTTPRequestHead) -> HTTPResponse {
    let wantsPage = head.fields["Accept"]?.contains("text/html") ?? false
    let isForPrograms = head.path.first.map { ["api", "mcp", ".well-known"].contains($0) } ?? false
    return secured(
      wantsPage && !isForPrograms ? ProblemPage.answer(problem, in: self) : problem.json)
  }

  private func secured(_ answer: HTTPResponse) -> HTTPResponse {
    var answer = answer
    answer.fields.fill(from: SecurityFields.common)
    if answer.fields["Content-Security-Policy"] == nil {
      answer.fields["Content-Security-Policy"] = SecurityFields.dataPolicy
    }
    return answer
  }
}
