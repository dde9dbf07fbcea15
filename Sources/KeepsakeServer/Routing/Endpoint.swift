import KeepsakeHTTP

/// The declaration of one address of the server: what it takes, and what it answers.
///
/// The router, the gate and the OpenAPI document are made of these declarations, so that none of them can say something
/// else than the others.
struct Endpoint: Sendable {
  let method: HTTPMethod
  let path: PathTemplate
  let summary: StaticString
  /// The items of the query that are read; any other item is refused.
  let query: [Parameter]
  /// The header fields that mean something here, beside those that all requests have.
  let fields: [Parameter]
  let body: Body
  let answer: Answer

  init(
    _ method: HTTPMethod, _ path: StaticString, _ summary: StaticString, query: [Parameter] = [],
    fields: [Parameter] = [], body: Body = .none, answer: Answer
  ) {
    self.method = method
    self.path = PathTemplate(path)
    self.summary = summary
    self.query = query
    self.fields = fields
    self.body = body
    self.answer = answer
  }

  /// An item of the query, or a header field.
  struct Parameter: Sendable {
    let name: StaticString
    let kind: Kind
    let about: StaticString

    init(_ name: StaticString, _ kind: Kind, _ about: StaticString) {
      self.name = name
      self.kind = kind
      self.about = about
    }

    /// The values that an item takes.
    enum Kind: Sendable {
      case text, time, position, cursor, flag
      case number(ClosedRange<Int>, usual: Int)
      case choice([String])
    }
  }

  /// The body that a request brings.
  enum Body: Sendable {
    case none
    /// An object of JSON, of so many bytes at most.
    case json(Shape, limit: Int = 1 << 20)
    /// The bytes of an artifact, which may be more than fit into memory.
    case bytes
    /// A message of a protocol that has its own description.
    case message
  }

  /// The body of the answer to a request that succeeds.
  enum Answer: Sendable {
    case json(Shape)
    /// An answer without a body.
    case nothing
    /// A page for a browser.
    case page
    /// A file, such as an artifact or a style sheet.
    case file
    /// Events as they happen.
    case events
  }

  /// Whether the endpoint only asks, although it takes a body.
  var isQuestion: Bool { if case .message = body { true } else { false } }

  /// Whether the endpoint changes the store.
  var isWriting: Bool { method != .get }

  /// Whether programs ask for it. Its errors are then objects of JSON, and the OpenAPI document has it.
  var isForPrograms: Bool { path.isBelow("api") }
}
