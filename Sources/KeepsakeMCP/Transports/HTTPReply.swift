/// An answer over HTTP, without the fields that every answer has.
package struct HTTPReply: Sendable {
  package var status: Int
  package var fields: [(name: String, value: String)]
  package var body: [UInt8]

  package init(
    status: Int, fields: [(name: String, value: String)] = [], body: [UInt8] = []
  ) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// An answer with a message of the protocol.
  static func json(_ status: Int, _ body: [UInt8]) -> HTTPReply {
    HTTPReply(status: status, fields: [("Content-Type", "application/json")], body: body)
  }
}
