/// Work that is done while a hub decides on offers.
///
/// The work gets a function that waits for the hub's answers, for a given time at most. The function returns one answer for each offer, as
/// ``Hub/commit(_:meanwhile:)`` does, or nil if they did not come in that time. It is called on the thread of the work, before the work
/// ends.
package typealias HubMeanwhile =
  @Sendable (_ answers: @escaping @Sendable (Duration) -> [HubAnswer]?) -> Void

extension Hub {
  package func commit(
    _ offers: [HubOffer], meanwhile work: HubMeanwhile?
  ) async throws -> [HubAnswer] {
    try await commit(offers)
  }
}
