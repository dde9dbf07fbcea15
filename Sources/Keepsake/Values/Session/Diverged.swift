/// The error for a saved list that contradicts the stored entries from a position on.
package struct Diverged: Error {
  package let position: Int
  /// The position to which the conversation goes back with the entry at `position`; nil if it goes on there.
  let target: Int?
}
