#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A conversation of a store: a handle that is cheap to keep, copy and pass around.
///
/// A handle holds nothing of the conversation itself. Each call reads what is stored now; each write is durable when
/// it returns. If a sync finds that the conversation went on in another store, too, a handle from before throws an error with the code
/// `conflict`: ask the store for the session again.
public struct Session: Sendable, Identifiable {
  public let id: UUID

  let handle: StoreHandle
  let number: Int64
  let lineage: Lineage

  init(id: UUID, number: Int64, lineage: Lineage, handle: StoreHandle) {
    self.id = id
    self.number = number
    self.lineage = lineage
    self.handle = handle
  }
}

extension Session: Hashable {
  public static func == (a: Session, b: Session) -> Bool {
    a.id == b.id && a.handle.store === b.handle.store
  }
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
