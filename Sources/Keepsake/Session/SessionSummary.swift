#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Session {
  /// What a list shows of a session; kept up to date as it grows, never counted.
  public struct Summary: Sendable, Hashable, Codable, Identifiable {
    public let id: UUID
    public let title: String?
    /// The beginning of its first prompt that was not erased.
    public let preview: String?
    /// The model that answered last.
    public let model: String?
    /// Where it came from: an import's format, or what the app said.
    public let origin: String?
    /// When it was created; of an import, the time of its first entry that has one, else when it was taken in.
    public let created: Date
    /// The time of the newest entry of its own, exact to the second; where nobody knows that, when it was taken in; until
    /// there is one, when the session was created.
    public let updated: Date
    /// With those that a fork shares.
    public let entries: Int
    /// With those that a fork shares.
    public let attachments: Int
    /// Of its entries and attached artifacts together. Of a fork only its own: the rest is in what it was forked from.
    public let bytes: Int64
    /// The label of its first image.
    public let cover: String?
    public let tags: [String]
    /// What is said of a fork, while the session is there that it shares its beginning with.
    let fork: Fork?

    struct Fork: Sendable, Hashable, Codable {
      let session: UUID
      let position: Int
      /// Whether it was given no title of its own.
      let hasParentsTitle: Bool
    }

    /// Of a fork: the session that it shares its beginning with, while that is there.
    public var forkOf: UUID? { fork?.session }
    /// The first position that a fork has for itself: what stands before it is shared. nil for a session that is no fork.
    public var forkPosition: Int? { fork?.position }

    /// What people tell it from others by: its title, or the beginning of its first prompt. A fork that has no title of
    /// its own says where it begins, `Fruit … from 4`: it would look like the session that it was forked from.
    public var name: String? {
      guard let name = title ?? preview else { return nil }
      guard let fork, fork.hasParentsTitle else { return name }
      return "\(name) … from \(fork.position)"
    }
  }

  /// Which sessions a list shows; every condition that is given must hold. A fork is one with all that it shows.
  public struct Filter: Sendable, Hashable, Codable {
    /// Sessions whose newest entry is of this time or later, exact to the second.
    public var since: Date?
    /// Sessions whose newest entry is from before this time, exact to the second.
    public var until: Date?
    /// Sessions where this model answered last.
    public var model: String?
    /// Sessions that call this tool.
    public var tool: String?
    /// A tag of the session, or of one of its entries.
    public var tag: String?
    /// A tag of the session itself, whatever its entries have.
    public var sessionTag: String?
    /// Sessions that came from there.
    public var origin: String?
    /// Sessions with an artifact of this kind: "image", "audio", "video", or a whole media type.
    public var has: String?
    /// Words of the title, or, where there is none, of the beginning of the first prompt; read as a search reads them.
    ///
    /// No text is indexed for this: a page costs a look at each newer session.
    public var text: String?

    public init(
      since: Date? = nil, until: Date? = nil, model: String? = nil, tool: String? = nil,
      tag: String? = nil, sessionTag: String? = nil, origin: String? = nil, has: String? = nil,
      text: String? = nil
    ) {
      self.since = since
      self.until = until
      self.model = model
      self.tool = tool
      self.tag = tag
      self.sessionTag = sessionTag
      self.text = text
      self.origin = origin
      self.has = has
    }
  }

  /// Where a page of a list ended.
  public struct Cursor: Sendable, Hashable, Codable, LosslessStringConvertible {
    let updated: Int64
    let number: Int64

    init(updated: Int64, number: Int64) {
      self.updated = updated
      self.number = number
    }

    public init?(_ description: String) {
      // A time before 1970 has a minus sign of its own.
      guard let dash = description.lastIndex(of: "-"),
        let updated = Int64(description[..<dash], radix: 36),
        let number = Int64(description[dash...].dropFirst(), radix: 36)
      else { return nil }
      self.init(updated: updated, number: number)
    }

    public var description: String {
      String(updated, radix: 36) + "-" + String(number, radix: 36)
    }
  }

  /// One page of a list, newest first.
  public struct Page: Sendable, Hashable, Codable {
    public let sessions: [Summary]
    /// What to ask with for the next page; nil at the end.
    public let next: Cursor?
  }
}
