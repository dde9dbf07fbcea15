import Foundation

@testable import Keepsake

/// Sessions as wholes: made, described, forked and deleted.
extension RandomHistory {
  /// Takes a session among those that are there.
  @discardableResult
  mutating func add(_ session: Session) -> Talk {
    let talk = Talk(session: session, name: name("session"))
    talks.append(talk)
    return talk
  }

  private mutating func metadata() -> JSON { ["app": ["note": .string(text())]] }

  mutating func create(on store: Store) async throws -> String? {
    guard hasRoomForAnother else { return nil }
    let isForeign = chance(25)
    let session = try await store.createSession(
      title: chance(60) ? text() : nil, origin: isForeign ? "app" : nil,
      foreignID: isForeign ? name("foreign") : nil,
      created: chance(30) ? Date(timeIntervalSince1970: 1_700_000_000) : nil,
      tags: chance(50) ? tags() : [], metadata: chance(50) ? metadata() : nil)
    return add(session).name
  }

  mutating func rename() async throws -> String? {
    guard let talk = one(of: talks) else { return nil }
    try await talk.session.rename(chance(80) ? text() : nil)
    return talk.name
  }

  mutating func tag() async throws -> String? {
    guard let talk = one(of: talks) else { return nil }
    let added = tags()
    let removed = tags()
    try await talk.session.tag(added, removing: removed)
    return "\(talk.name) with \(added), not \(removed)"
  }

  mutating func setMetadata() async throws -> String? {
    guard let talk = one(of: talks) else { return nil }
    let had = try await talk.session.metadata() != nil
    try await talk.session.setMetadata(had && chance(40) ? nil : metadata())
    return talk.name
  }

  mutating func fork(isEarlier: Bool) async throws -> String? {
    guard hasRoomForAnother, let talk = one(of: talks) else { return nil }
    let end = try await talk.session.count()
    guard !isEarlier || end > 0 else { return nil }
    let position = isEarlier ? number(0...(end - 1)) : nil
    let fork = try await talk.session.fork(before: position, title: chance(50) ? text() : nil)
    return "\(talk.name) before \(position ?? end) as \(add(fork).name)"
  }
}

// MARK: - Deleting

extension RandomHistory {
  mutating func deleteForked(on store: Store) async throws -> String? {
    let found = try await choose { talk in
      try await talk.session.forks().isEmpty ? [] : [talk.session]
    }
    return try await delete(found?.talk, on: store)
  }

  mutating func deleteFork(on store: Store) async throws -> String? {
    let found = try await choose { $0.session.lineage.shared.isEmpty ? [] : [$0.session] }
    return try await delete(found?.talk, on: store)
  }

  mutating func deleteAlone(on store: Store) async throws -> String? {
    let found = try await choose { talk in
      let hasForks = try await !talk.session.forks().isEmpty
      return talk.session.lineage.shared.isEmpty && !hasForks ? [talk.session] : []
    }
    return try await delete(found?.talk, on: store)
  }

  private mutating func delete(_ talk: Talk?, on store: Store) async throws -> String? {
    guard let talk, talks.count > 3 else { return nil }
    try await store.deleteSession(talk.session.id)
    talks.removeAll { $0.session.id == talk.session.id }
    files.removeAll { $0.session == talk.session.id }
    return talk.name
  }
}
