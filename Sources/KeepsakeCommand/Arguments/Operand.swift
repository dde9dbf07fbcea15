/// A parameter without a name before it.
struct Operand<Value: Sendable>: Parameter {
  let shown: Declaration.Parameter
  private let read: @Sendable ([String]) -> Value

  func value(of given: [String]) -> Value { read(given) }
}

extension Operand where Value == String {
  fileprivate static var sessionHelp: String {
    "A session: its id, a unique beginning of it, or 'last' for the newest."
  }

  static func required(_ name: String, _ help: String) -> Operand {
    // Without the operand, the arguments are refused before any value is read.
    Operand(shown: .operand(.init(name: name, help: help))) { $0.first ?? "" }
  }

  static var session: Operand { .required("SESSION", Operand<String>.sessionHelp) }

  static var artifact: Operand {
    .required("ARTIFACT", "An artifact: its digest, a unique beginning of it, or SESSION/LABEL.")
  }
}

extension Operand where Value == String? {
  static func optional(_ name: String, _ help: String) -> Operand {
    Operand(shown: .operand(.init(name: name, help: help, isRequired: false))) { $0.first }
  }
}

extension Operand where Value == [String] {
  static func several(_ name: String, _ help: String, isRequired: Bool = true) -> Operand {
    Operand(
      shown: .operand(.init(name: name, help: help, isRequired: isRequired, repeats: true))
    ) { $0 }
  }

  /// An operand for several sessions.
  static func sessions(isRequired: Bool) -> Operand {
    .several("SESSION", Operand<String>.sessionHelp, isRequired: isRequired)
  }
}
