import Keepsake

extension Entry {
  /// Makes a prompt of an even number and a response of an odd one, as the yardstick in C does.
  static func turn(_ index: Int, _ text: String) -> Entry {
    index.isMultiple(of: 2) ? .prompt(text) : .response(text)
  }
}
