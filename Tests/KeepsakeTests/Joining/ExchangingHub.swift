import Foundation
import KeepsakeFiles
import KeepsakeHubConformance

@testable import Keepsake

/// A hub in a folder that has stores hold their transactions while it decides, as a hub in a database does.
struct ExchangingHub: ForwardingHub {
  let folder: FolderHub
  /// Returns what the work of a store sees of the answers, and may do something before it does so.
  var sight: @Sendable (_ answers: [HubAnswer]) -> [HubAnswer]? = { $0 }
  /// Tells whether the hub takes offers of work; a database does not while it holds one of their sessions.
  var takesOffers: @Sendable () -> Bool = { true }
  var hub: any Hub { folder }

  init?(_ hub: any Hub) {
    guard let folder = hub as? FolderHub else { return nil }
    self.folder = folder
  }

  /// The way to a hub in a folder, through hub objects of this kind.
  static func address(_ address: HubAddress) -> HubAddress {
    HubAddress(address.description) { opening in
      let hub = try await address.open(opening)
      return ExchangingHub(hub) ?? hub
    }
  }

  func exchange(bytes: Int, _ work: @escaping HubExchange) async throws -> [HubAnswer]? {
    let made = Locked<(offers: [HubOffer], answers: [HubAnswer])?>(nil)
    work { [folder, sight, takesOffers] offers in
      guard takesOffers() else { return nil }
      let answers = offers.map(folder.answer)
      made.withLock { $0 = (offers, answers) }
      return { _ in sight(answers) }
    }
    guard let (offers, answers) = made.withLock({ $0 }) else { return nil }
    await folder.announce(
      zip(offers, answers).compactMap { offer, answer in
        answer.version.map { HubHead(session: offer.session, version: $0, stamp: offer.stamp) }
      })
    return answers
  }
}
