/// A term in a hub's lists, with the number of sessions that have it.
package struct HubCounted: Sendable, Hashable {
  package let term: HubTerm
  package let sessions: Int
  /// The newest version of one of the sessions.
  package let head: HubHead

  package init(term: HubTerm, sessions: Int, head: HubHead) {
    self.term = term
    self.sessions = sessions
    self.head = head
  }
}
