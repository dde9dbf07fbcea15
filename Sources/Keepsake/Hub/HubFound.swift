/// A session that a hub found in its lists.
package struct HubFound: Sendable, Hashable {
  /// The newest version of the session.
  package let head: HubHead
  /// The place of the session in the hub's order.
  package let place: HubPlace

  package init(head: HubHead, place: HubPlace) {
    self.head = head
    self.place = place
  }
}
