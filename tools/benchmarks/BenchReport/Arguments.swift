/// The words of a command line, taken one after the other.
package struct Arguments {
  private var rest: ArraySlice<String>

  package init(_ words: some Sequence<String>) { rest = ArraySlice(words) }

  /// Takes the next word; nil at the end.
  package mutating func next() -> String? { rest.popFirst() }

  /// Takes the value of an option.
  package mutating func value(of option: String) throws -> String {
    guard let value = rest.popFirst() else { throw Misuse(message: "\(option) needs a value.") }
    return value
  }
}
