/// The condition under which an object is written.
package enum ObjectCondition: Sendable, Hashable {
  /// Nothing is there yet.
  case absent
  /// The bytes that are there are those of a tag.
  case matches(String)
}
