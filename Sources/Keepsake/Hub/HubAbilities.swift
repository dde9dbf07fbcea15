/// The abilities of a hub beyond keeping commits and artifacts.
package struct HubAbilities: OptionSet, Sendable, Hashable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// The hub says what may have changed, so that the directory is needed seldom.
  package static let hints = HubAbilities(rawValue: 1)
  /// The hub takes offers of many sessions in a single round trip.
  package static let batches = HubAbilities(rawValue: 2)
  /// Each call may cost money, so that the hub is seldom asked just to see whether something is new.
  package static let metered = HubAbilities(rawValue: 4)
}
