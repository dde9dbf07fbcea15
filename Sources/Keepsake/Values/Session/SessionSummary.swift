#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Session {
  /// The facts about a session that lists show.
  ///
  /// The store keeps them up to date with every write, so reading a summary counts nothing.
  public struct Summary: Sendable, Hashable, Codable, Identifiable {
    public let id: UUID
    public let title: String?
    /// The beginning of the first prompt that was not erased.
    public let preview: String?
    /// The model that answered last.
    public let model: String?
    /// The origin of the session: the format of its import, or a text of the app.
    public let origin: String?
    /// The time when the session was created. For an import, this is the time of the first entry that has one, or else
    /// the time of the import.
    public let created: Date
    /// The time of the session's newest own entry, exact to the second.
    ///
    /// If the time of the entry is unknown, this is when it was imported; if there is no entry, when the session was
    /// created.
    public let updated: Date
    /// The number of entries, with those that a fork shares.
    public let entries: Int
    /// The number of attachments, with those that a fork shares.
    public let attachments: Int
    /// The number of bytes of entries and attached artifacts together. What a fork shares is not counted.
    public let bytes: Int64
    /// The label of the first image.
    public let cover: String?
    public let tags: [String]
    /// The facts about a fork while its parent exists; nil for other sessions.
    let fork: Fork?

    struct Fork: Sendable, Hashable, Codable {
      let session: UUID
      let position: Int
      /// Tells whether the fork has no title of its own.
      let hasParentsTitle: Bool
    }

    /// The session that a fork shares its beginning with; nil for other sessions, and after that session was deleted.
    public var forkOf: UUID? { fork?.session }
    /// The first position of a fork's own, before which its entries are shared; nil for a session that is no fork.
    public var forkPosition: Int? { fork?.position }

    /// The name of the session for people: its title, or the beginning of its first prompt.
    ///
    /// A fork without a title of its own adds its first position, such as `Fruit … from 4`, so that it does not look
    /// like the session that it was forked from.
    public var name: String? {
      guard let name = title ?? preview else { return nil }
      guard let fork, fork.hasParentsTitle else { return name }
      return "\(name) … from \(fork.position)"
    }
  }

  /// The conditions that sessions of a list fulfil, all at once. For a fork, shared entries count, too.
  public struct Filter: Sendable, Hashable, Codable {
    /// The earliest time of a session's newest entry, exact to the second.
    public var since: Date?
    /// The time before which a session's newest entry must be, exact to the second.
    public var until: Date?
    /// The model that answered last.
    public var model: String?
    /// A tool that the session calls.
    public var tool: String?
    /// A tag of the session, or of one of its entries.
    public var tag: String?
    /// A tag of the session itself, whatever its entries have.
    public var sessionTag: String?
    /// The origin of the session.
    public var origin: String?
    /// A kind of artifact that the session has: "image", "audio", "video", or a whole media type.
    public var has: String?
    /// Words of the title, or of the beginning of the first prompt if there is no title, with the syntax of a search.
    ///
    /// No index has these words, so a page costs a look at each newer session.
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

  /// The place where a page of a list ended.
  public struct Cursor: Sendable, Hashable, Codable, LosslessStringConvertible {
    let updated: Int64
    /// The number of the session in the store; 0 in a list that a hub keeps for many stores.
    let number: Int64
    /// The session, in a list that a hub keeps for many stores.
    let session: UUID?

    init(updated: Int64, number: Int64) {
      self.updated = updated
      self.number = number
      session = nil
    }

    init(updated: Int64, session: UUID) {
      self.updated = updated
      number = 0
      self.session = session
    }

    public init?(_ description: String) {
      // A time before 1970 has a minus sign of its own, and the id of a session has some, too.
      let text = description.dropFirst()
      guard let dash = text.firstIndex(of: "-"),
        let updated = Int64(description[..<dash], radix: 36)
      else { return nil }
      let rest = description[dash...].dropFirst()
      if let session = UUID(text: String(rest)) {
        self.init(updated: updated, session: session)
      } else if let number = Int64(rest, radix: 36) {
        self.init(updated: updated, number: number)
      } else {
        return nil
      }
    }

    public var description: String {
      String(updated, radix: 36) + "-"
        + (session?.text ?? String(number, radix: 36))
    }
  }

  /// A page of a list, newest first.
  public struct Page: Sendable, Hashable, Codable {
    public let sessions: [Summary]
    /// The cursor for the next page; nil at the end.
    public let next: Cursor?
  }
}
