/// The error for a saved list that contradicts the stored entries from a position on.
package struct Diverged: Error {
  package let position: Int
}
