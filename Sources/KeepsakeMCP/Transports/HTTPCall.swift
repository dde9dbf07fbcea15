/// A request over HTTP, as far as the protocol looks at it.
///
/// Whoever carries it has looked before at where it comes from: at `Host`, `Origin` and the token.
package struct HTTPCall: Sendable {
  /// The method, such as `POST`.
  package var method: String
  /// The header fields in their order, with repeated ones.
  package var fields: [(name: String, value: String)]
  package var body: [UInt8]

  package init(method: String, fields: [(name: String, value: String)], body: [UInt8]) {
    self.method = method
    self.fields = fields
    self.body = body
  }

  /// The values of a field, whose name is compared without case.
  func values(_ name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name }.map(\.value)
  }
}
