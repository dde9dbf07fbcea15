#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension KeepsakeError {
  /// The remedy for a failure, as a value.
  ///
  /// `description` says it in words that suit any program. An app compares remedies, to offer a button; a command line
  /// words them as commands. Remedies may be added, so compare with `==` instead of expecting one of those that are
  /// known.
  public struct Remedy: Sendable, Hashable, CustomStringConvertible {
    /// All remedies, so that the compiler finds a program that words them and misses one.
    package enum Kind: Sendable, Hashable {
      case verify, verifyAndRestore
      case upgrade
      case makeStore
      case backUp
      case listArtifacts
      case sweep
      case moveToNewStore
      case restoreMissing(canGiveUp: Bool)
      case giveUpDamaged
      case fork(session: UUID, position: Int)
      case sweepHub
      case putAgain
      case makeAnotherHub
      case upgradeHub
      case listAgain
    }

    package let kind: Kind

    /// Find the damage with ``Store/verify(_:progress:)``.
    public static let verify = Remedy(kind: .verify)
    /// Find the damage, and go back to a backup.
    public static let verifyAndRestore = Remedy(kind: .verifyAndRestore)
    /// Install a newer version of Keepsake.
    public static let upgrade = Remedy(kind: .upgrade)
    /// Check the path, or open the store with an access that creates a missing store.
    public static let makeStore = Remedy(kind: .makeStore)
    /// Name a file outside of the store, or copy the whole store.
    public static let backUp = Remedy(kind: .backUp)
    /// Look for the artifact in the list of the store's artifacts.
    public static let listArtifacts = Remedy(kind: .listArtifacts)
    /// Sweep the store, which removes what belongs to nothing.
    public static let sweep = Remedy(kind: .sweep)
    /// Move the store's content to a new store, or go back to a backup.
    public static let moveToNewStore = Remedy(kind: .moveToNewStore)
    /// Put back what is missing.
    public static let restoreMissing = Remedy(kind: .restoreMissing(canGiveUp: false))
    /// Put back the missing artifacts, or sweep the store with the names of those that are lost for good.
    public static let restoreMissingOrGiveUp = Remedy(kind: .restoreMissing(canGiveUp: true))
    /// Give up only artifacts that are damaged.
    public static let giveUpDamaged = Remedy(kind: .giveUpDamaged)

    /// Sweep the hub, which removes what nothing needs.
    public static let sweepHub = Remedy(kind: .sweepHub)
    /// Put artifacts at the hub again, from a store that has them.
    public static let putAgain = Remedy(kind: .putAgain)
    /// Make another hub, and join it from the stores, each of which has everything.
    public static let makeAnotherHub = Remedy(kind: .makeAnotherHub)
    /// Upgrade the hub with ``Store/upgradeHub(at:progress:)``.
    public static let upgradeHub = Remedy(kind: .upgradeHub)
    /// Make the hub's lists again with ``Store/checkHub(at:readingData:mendingLists:progress:)``.
    public static let listAgain = Remedy(kind: .listAgain)

    /// Fork a session at the position where a file diverges from it, and import the file into the fork.
    public static func fork(_ session: UUID, before position: Int) -> Remedy {
      Remedy(kind: .fork(session: session, position: position))
    }

    /// A sentence or two, for people.
    public var description: String {
      switch kind {
      case .verify: "Verify the store."
      case .verifyAndRestore: "Verify the store and restore a backup."
      case .upgrade: "Upgrade Keepsake."
      case .makeStore: "Check the path. To make a store, open it for writing."
      case .backUp: "Name another file; to copy a store, back it up."
      case .listArtifacts: "Look for it among the store's artifacts."
      case .sweep: "Nothing is lost; a sweep removes it."
      case .moveToNewStore:
        "Take what is in it into a new store: export all of its sessions as a bundle, and import that; or restore a backup."
      case .restoreMissing(let canGiveUp):
        "Verify the store; restore what is missing from a backup, or attach it again."
          + (canGiveUp ? " Where that can't be done, give up by name what is lost." : "")
      case .giveUpDamaged: "Give up only what is damaged, as verifying the store says."
      case .fork(let session, let position):
        "Fork session \(session.text) before position \(position), and take the file into the fork; or import it as a session of its own."
      case .sweepHub: "Nothing is lost; a sweep of the hub removes it."
      case .putAgain: "Put it there again from a store that has it."
      case .makeAnotherHub:
        "Every store that joined has a copy of its own: make another hub, and join it from them."
      case .upgradeHub:
        "Stop the programs that use it with an earlier version, and upgrade the hub."
      case .listAgain: "Nothing is lost; the lists can be made again."
      }
    }
  }
}
