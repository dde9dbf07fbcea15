/// Work that offers commits to a hub while it has something open, which it ends one way or the other once it knows the hub's answers.
///
/// The work gets a function that sends offers, and does not wait for the answers. The function returns nil, and sends nothing, if the offers
/// can't be sent so. It is called once at most, on the thread of the work.
package typealias HubExchange =
  @Sendable (_ offer: @escaping @Sendable ([HubOffer]) -> HubAnswers?) -> Void

/// A function that waits for the answers to offers, for a given time at most.
///
/// It returns one answer for each offer, as ``Hub/commit(_:)`` does, or nil if they did not come in that time. It is called on the thread of
/// the work that made the offers, before that work ends.
package typealias HubAnswers = @Sendable (Duration) -> [HubAnswer]?

/// This default is for a hub that can't send offers without waiting.
extension Hub {
  package func exchange(
    bytes: Int, _ work: @escaping HubExchange
  ) async throws -> [HubAnswer]? { nil }
}
