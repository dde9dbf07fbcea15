/// The form of a value of JSON: for the OpenAPI document, and for the test that holds answers against it.
indirect enum Shape: Sendable {
  case string, integer, number, boolean
  /// A string of a known form, such as `uuid` or `date-time`.
  case formatted(String)
  /// A string out of some.
  case choice([String])
  /// Any value.
  case anything
  case array(Shape)
  /// A value that may be null.
  case nullable(Shape)
  /// An object with these members and, where it is open, others.
  case object([Member], isOpen: Bool = false)
  /// A shape that is described once under a name.
  case named(String, Shape)

  /// A member of an object.
  struct Member: Sendable {
    let name: String
    let shape: Shape
    /// Whether the member is always there.
    let isRequired: Bool

    init(_ name: String, _ shape: Shape, isRequired: Bool = true) {
      self.name = name
      self.shape = shape
      self.isRequired = isRequired
    }
  }

  static let uuid = Shape.formatted("uuid")
  static let time = Shape.formatted("date-time")
  /// The name of an artifact: `sha256:` and 64 hexadecimal digits.
  static let artifactID = Shape.formatted("artifact")

  /// A page of a list, with the cursor of the next one.
  static func page(_ name: String, of element: Shape) -> Shape {
    .object([.init(name, .array(element)), .init("next", .nullable(.string))])
  }
}
