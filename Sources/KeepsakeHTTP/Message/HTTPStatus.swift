/// A status code of a response.
package struct HTTPStatus: Sendable, Hashable {
  /// The number, from 100 to 999.
  package let code: Int

  /// Creates a status from its number. The number is written by the program, never taken from data.
  package init(_ code: Int) {
    precondition((100...999).contains(code), "A status code has three digits")
    self.code = code
  }

  package static let ok = HTTPStatus(200)
  package static let created = HTTPStatus(201)
  package static let accepted = HTTPStatus(202)
  package static let noContent = HTTPStatus(204)
  package static let partialContent = HTTPStatus(206)
  package static let movedPermanently = HTTPStatus(301)
  package static let seeOther = HTTPStatus(303)
  package static let notModified = HTTPStatus(304)
  package static let temporaryRedirect = HTTPStatus(307)
  package static let badRequest = HTTPStatus(400)
  package static let unauthorized = HTTPStatus(401)
  package static let forbidden = HTTPStatus(403)
  package static let notFound = HTTPStatus(404)
  package static let methodNotAllowed = HTTPStatus(405)
  package static let notAcceptable = HTTPStatus(406)
  package static let requestTimeout = HTTPStatus(408)
  package static let conflict = HTTPStatus(409)
  package static let gone = HTTPStatus(410)
  package static let preconditionFailed = HTTPStatus(412)
  package static let contentTooLarge = HTTPStatus(413)
  package static let targetTooLong = HTTPStatus(414)
  package static let unsupportedMediaType = HTTPStatus(415)
  package static let rangeNotSatisfiable = HTTPStatus(416)
  package static let expectationFailed = HTTPStatus(417)
  package static let unprocessable = HTTPStatus(422)
  package static let tooManyRequests = HTTPStatus(429)
  package static let fieldsTooLarge = HTTPStatus(431)
  package static let internalError = HTTPStatus(500)
  package static let notImplemented = HTTPStatus(501)
  package static let unavailable = HTTPStatus(503)
  package static let versionNotSupported = HTTPStatus(505)

  /// Whether the server closes the connection after such an answer.
  package var isError: Bool { code >= 400 }

  /// Whether a response of this status has no body, whatever it says.
  package var isBodiless: Bool { code < 200 || code == 204 || code == 304 }

  /// The words that stand behind the number. No program reads them.
  package var phrase: String { Self.phrases[code] ?? "Status" }

  private static let phrases: [Int: String] = [
    100: "Continue", 200: "OK", 201: "Created", 202: "Accepted", 204: "No Content",
    206: "Partial Content", 301: "Moved Permanently", 303: "See Other", 304: "Not Modified",
    307: "Temporary Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
    404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout",
    409: "Conflict", 410: "Gone", 412: "Precondition Failed", 413: "Content Too Large",
    414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
    417: "Expectation Failed", 422: "Unprocessable Content", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented",
    503: "Service Unavailable", 505: "HTTP Version Not Supported",
  ]
}
