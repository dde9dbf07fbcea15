/// An option with a value, and the type that the value has.
struct Option<Value: Sendable>: Parameter {
  let shown: Declaration.Parameter
  private let read: @Sendable ([String]) throws(UsageError) -> Value

  func value(of given: [String]) throws(UsageError) -> Value { try read(given) }
}

extension Option {
  /// An option whose value is nil where it is not given.
  init<Element>(
    _ name: String, short: String? = nil, value: String, as reading: Reading<Element>, help: String
  ) where Value == Element? {
    shown = reading.option(name, short: short, value: value, help: help)
    read = { given throws(UsageError) in
      // What is said last counts, as it does in a shell alias that is added to.
      guard let text = given.last else { return nil }
      return try reading.value(of: text, for: name)
    }
  }

  /// An option that has a value also where it is not given.
  init(
    _ name: String, short: String? = nil, value: String, as reading: Reading<Value>,
    else usual: Value, help: String
  ) {
    shown = reading.option(name, short: short, value: value, help: help)
    read = { given throws(UsageError) in
      guard let text = given.last else { return usual }
      return try reading.value(of: text, for: name)
    }
  }

  /// An option that may be given more than once.
  init<Element>(
    _ name: String, short: String? = nil, value: String, several reading: Reading<Element>,
    help: String
  ) where Value == [Element] {
    shown = reading.option(name, short: short, value: value, repeats: true, help: help)
    read = { given throws(UsageError) in
      var values: [Element] = []
      for text in given { values.append(try reading.value(of: text, for: name)) }
      return values
    }
  }
}
