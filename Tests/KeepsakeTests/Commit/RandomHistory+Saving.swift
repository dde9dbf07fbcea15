import Foundation

@testable import Keepsake

/// Lists that an app holds whole, and saves.
extension RandomHistory {
  /// Makes the entries that came since an app saved last, one of them perhaps with what another session has.
  private mutating func news() async throws -> [Entry] {
    var news = (0..<number(1...3)).map { _ in
      var entry = entry(chance(50) ? .prompt : .response)
      entry.key = name("key")
      return entry
    }
    if chance(30) {
      let found = try await choose { talk in
        try await talk.session.entries.all().filter { !$0.attachments.isEmpty && !$0.isErased }
      }
      if var (_, entry) = found {
        entry.key = name("key")
        entry.id = Entry.newID()
        news.append(entry)
      }
    }
    return news
  }

  mutating func save() async throws -> String? {
    guard let talk = speaker() else { return nil }
    let saved = try await talk.session.save(talk.session.appsList() + news())
    return "\(saved.appended) and \(saved.revised) of \(talk.name)"
  }

  /// Saves a list twice, of which the second time writes nothing.
  mutating func saveAgain() async throws -> String? {
    guard let talk = speaker() else { return nil }
    let list = try await talk.session.appsList()
    if list.isEmpty { return nil }
    let first = try await talk.session.save(list)
    let second = try await talk.session.save(list)
    return "\(first.appended), then \(second.appended) and \(second.revised) of \(talk.name)"
  }

  /// Saves a list in which one entry says something else under its key.
  mutating func saveRevised() async throws -> String? {
    guard let talk = speaker() else { return nil }
    var list = try await talk.session.appsList()
    let changing = list.indices.filter {
      list[$0].key != nil && !list[$0].isErased && list[$0].isOwn(by: talk.session)
        && list[$0].kind != .toolCalls
    }
    guard let index = one(of: changing) else { return nil }
    list[index].segments = list[index].segments.map { $0.text == nil ? $0 : .text(text()) }
    let saved = try await talk.session.save(list)
    return "\(list[index].position ?? -1) as \(saved.revised) of \(talk.name)"
  }

  /// Saves a list whose entries have keys, where they were recorded without.
  mutating func adopt() async throws -> String? {
    let found = try await choose { talk in
      let hasKeyless = try await talk.session.appsList().contains {
        $0.key == nil && !$0.isErased && $0.isOwn(by: talk.session)
      }
      return hasKeyless ? [talk.session] : []
    }
    guard let (talk, session) = found else { return nil }
    var list = try await session.appsList()
    for index in list.indices where list[index].key == nil { list[index].key = name("key") }
    let saved = try await session.save(list)
    return "\(list.count) in \(talk.name), \(saved.revised) revised"
  }

  /// Saves a list that goes another way than the session, as a fork.
  mutating func saveParting() async throws -> String? {
    guard hasRoom, let talk = speaker() else { return nil }
    let list = try await talk.session.appsList()
    guard list.count > 2 else { return nil }
    let kept = list.prefix(number(1...(list.count - 1)))
    let saved = try await talk.session.save(Array(kept) + news(), ifDiverging: .fork)
    // A list that lacks only what it may lack goes on in the session itself.
    guard saved.session.id != talk.session.id else {
      actual = .save
      return "\(talk.name), which it extends"
    }
    return "\(talk.name) as \(add(saved.session).name)"
  }
}

extension Session {
  /// Returns the entries that an app shows of the session: all that were not taken back.
  fileprivate func appsList() async throws -> [Entry] {
    let path = try await livePath()
    return try await entries.all().filter {
      path.contains($0.position ?? -1) && $0.continuesAfter == nil
    }
  }
}
