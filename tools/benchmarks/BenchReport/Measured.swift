/// Something that a bench measures.
package protocol Measured {
  /// The names of its rows, for `--only` and `--list`.
  var names: [String] { get }
}
