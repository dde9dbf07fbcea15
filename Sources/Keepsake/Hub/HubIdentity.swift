#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The identity of a hub: its id, its address and its abilities.
package struct HubIdentity: Sendable, Hashable {
  /// The random id that the hub got when it was made. A store that joined the hub knows it again by this.
  package let id: UUID
  /// The hub's address, for messages.
  package let address: String
  /// The hub's abilities beyond keeping commits and artifacts.
  package let abilities: HubAbilities

  package init(id: UUID, address: String, abilities: HubAbilities) {
    self.id = id
    self.address = address
    self.abilities = abilities
  }
}
