import Keepsake

extension Entry {
  /// Prompts and responses by turns, as the yardstick does it.
  static func turn(_ index: Int, _ text: String) -> Entry {
    index.isMultiple(of: 2) ? .prompt(text) : .response(text)
  }
}
