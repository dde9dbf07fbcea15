/// Something that a bench measures.
package protocol Measured {
  /// The names of the rows that the measure gives, for `--only` and `--list`.
  var names: [String] { get }
}
