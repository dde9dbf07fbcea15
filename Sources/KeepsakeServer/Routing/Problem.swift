import Keepsake
import KeepsakeFiles
import KeepsakeHTTP

/// A request that can't be answered, as `application/problem+json` for programs and as a page for people.
struct Problem: Error {
  let status: Int
  /// A short name of the kind of problem, which programs may compare. It never changes.
  let code: String
  /// A sentence that says what failed, and what to do.
  let detail: String
  /// The header fields that go with the status.
  var fields: HTTPFields = [:]

  static func notFound(_ detail: String = "There is nothing at this address.") -> Problem {
    Problem(status: 404, code: "not-found", detail: detail)
  }

  static func invalid(_ detail: String) -> Problem {
    Problem(status: 400, code: "invalid", detail: detail)
  }

  static func refused(_ detail: String) -> Problem {
    Problem(status: 403, code: "refused", detail: detail)
  }

  static let readOnly = refused(
    "This server only reads: it was started with --read-only. Start it without, and ask again.")

  static let notYours = refused(
    "The link is for the user of this machine who started the server. Start one of your own.")

  static let storeGone = Problem(
    status: 503, code: "store-gone",
    detail: "The store was moved or replaced since the server was started. Start the server again.")

  static let diskFull = Problem(
    status: 507, code: "disk-full", detail: "The disk is full. Nothing was written.")

  /// The title of a status, as RFC 9110 has it.
  var title: String {
    switch status {
    case 400: "Bad request"
    case 401: "Not signed in"
    case 403: "Refused"
    case 404: "Not found"
    case 405: "Method not allowed"
    case 408: "Too slow"
    case 409: "Conflict"
    case 410: "Gone"
    case 411: "Length required"
    case 412: "Precondition failed"
    case 413: "Too large"
    case 415: "Unsupported media type"
    case 414, 431: "Too large"
    case 416: "Range not satisfiable"
    case 422: "Not understood"
    case 429: "Too many wrong tokens"
    case 503: "Not at the moment"
    case 507: "Disk full"
    default: "Failed"
    }
  }
}

extension Problem {
  /// The problem that an error of the store is to the one who asked.
  ///
  /// A message of the store names sessions, entries and artifacts. A failure of the machine is told without its
  /// message, which may have paths in it.
  init(_ error: any Error) {
    if let problem = error as? Problem {
      self = problem
      return
    }
    if let error = error as? SearchQueryError {
      self = .invalid(error.message)
      return
    }
    if let error = error as? FileError, error.code == .noSpace {
      self = .diskFull
      return
    }
    guard let error = error as? KeepsakeError else {
      self.init(
        status: 500, code: "failed",
        detail: "The server failed at this. Verify the store.")
      return
    }
    switch error.code {
    case .notFound: self = .notFound(error.message)
    case .invalid, .outOfRange: self = .invalid(error.message)
    case .conflict: self.init(status: 409, code: "conflict", detail: error.message)
    case .artifactMissing: self.init(status: 410, code: "artifact-missing", detail: error.message)
    case .artifactDamaged: self.init(status: 500, code: "artifact-damaged", detail: error.message)
    case .readOnly: self = .readOnly
    case .locked:
      self.init(
        status: 503, code: "busy",
        detail: "Others write to the store at the moment. Ask again in a second.",
        fields: ["Retry-After": "1"])
    case .tooLarge: self.init(status: 413, code: "too-large", detail: error.message)
    case .refused: self = .refused(error.message)
    case .diskFull: self = .diskFull
    default:
      self.init(
        status: 500, code: "failed",
        detail: "The store failed at this. Verify it: that says whether it is damaged.")
    }
  }
}

extension Problem {
  /// The problem that a request is which breaks the rules of HTTP, or for which the server has no room.
  init(_ refusal: HTTPRefusal) {
    let code =
      switch refusal.status.code {
      case 403: "refused"
      case 408: "slow"
      case 413, 414, 431: "too-large"
      case 415: "type"
      case 417, 501, 505: "unsupported"
      case 503: "busy"
      case 500...: "failed"
      default: "invalid"
      }
    self.init(status: refusal.status.code, code: code, detail: refusal.reason)
  }

  /// The problem that an answer about a tag or a range is, which has no body of its own; nil for any other answer.
  init?(_ answer: HTTPResponse) {
    switch answer.status.code {
    case 412:
      self.init(
        status: 412, code: "changed", detail: "'If-Match' names other bytes than these.")
    case 416:
      self.init(
        status: 416, code: "range", detail: "There are no bytes in that range.",
        fields: answer.fields)
    default: return nil
    }
  }

  /// The problem as an answer for programs (RFC 9457).
  var json: HTTPResponse {
    var writer = JSONWriter()
    writer.beginObject()
    writer.fixed("type", "about:blank")
    writer.fixed("title", title)
    writer.fixed("status", status)
    writer.fixed("code", code)
    writer.fixed("detail", detail)
    writer.endObject()
    var fields = fields
    fields["Content-Type"] = "application/problem+json"
    return HTTPResponse(HTTPStatus(status), fields, body: .bytes(writer.bytes))
  }
}
