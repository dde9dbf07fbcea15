/// A question for a hub that keeps lists: which sessions have all of some terms, and changed in some time.
///
/// The answer has the session first that changed last.
package struct HubQuery: Sendable, Hashable {
  /// The terms that a session has to have.
  package var terms: [HubTerm]
  /// The times of the last change, in microseconds.
  package var updated: Range<Int64>
  /// The place in the order after which the answer begins; nil for the beginning.
  package var after: HubPlace?
  /// The most sessions of the answer.
  package var limit: Int

  package init(
    _ terms: [HubTerm] = [], updated: Range<Int64> = .min..<(.max), after: HubPlace? = nil,
    limit: Int
  ) {
    self.terms = terms
    self.updated = updated
    self.after = after
    self.limit = limit
  }
}
