/// A member of a JSON record that the foreign program writes anew with every file, so that it does not tell one record
/// from another.
package struct VolatileMember: Sendable {
  /// The keys that lead to it from the record's top; `*` is any element of an array.
  let path: [String]
  /// The key and the text of the member beside which it is volatile; nil if it always is.
  let condition: (key: String, text: String)?

  package init(_ path: String...) {
    self.path = path
    condition = nil
  }

  /// Makes a member that is volatile only beside another one of its object that is a certain text.
  package init(_ path: String..., where key: String, is text: String) {
    self.path = path
    condition = (key, text)
  }
}
