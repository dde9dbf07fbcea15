/// An option with a value of a type.
struct Option<Value: Sendable>: Parameter {
  let shown: Declaration.Parameter
  private let read: @Sendable ([String]) throws(UsageError) -> Value

  func value(of given: [String]) throws(UsageError) -> Value { try read(given) }
}

extension Option {
  /// Creates an option whose value is nil if it is not given.
  init<Element>(
    _ name: String, short: String? = nil, value: String, as reading: Reading<Element>, help: String
  ) where Value == Element? {
    shown = reading.option(name, short: short, value: value, help: help)
    read = { given throws(UsageError) in
      // The last value counts, as is usual for an option that is added after a shell alias.
      guard let text = given.last else { return nil }
      return try reading.value(of: text, for: name)
    }
  }

  /// Creates an option with a default value.
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

  /// Creates an option that may be given more than once.
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
