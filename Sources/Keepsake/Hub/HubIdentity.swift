#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What a hub is, and what it can do.
package struct HubIdentity: Sendable, Hashable {
  /// The random id that the hub got when it was made. A store that joined the hub knows it again by this.
  package let id: UUID
  /// Where the hub is, for messages.
  package let address: String
  /// What the hub can do beyond keeping commits and artifacts.
  package let abilities: HubAbilities

  package init(id: UUID, address: String, abilities: HubAbilities) {
    self.id = id
    self.address = address
    self.abilities = abilities
  }
}
