@testable import Keepsake

/// Steps that erase entries and attachments.
extension RandomHistory {
  /// Erases an entry that meets a condition.
  private mutating func erase(_ isMeant: (Talk, Entry) -> Bool) async throws -> String? {
    let found = try await choose { talk in
      try await talk.session.entries.all().filter { !$0.isErased && isMeant(talk, $0) }
    }
    guard let (talk, entry) = found, let position = entry.position else { return nil }
    try await talk.session.erase(position)
    return "position \(position) of \(talk.name)"
  }

  mutating func eraseOwn() async throws -> String? {
    try await erase { $1.isOwn(by: $0.session) }
  }

  mutating func eraseShared() async throws -> String? {
    try await erase { !$1.isOwn(by: $0.session) }
  }

  mutating func eraseWithAttachments() async throws -> String? {
    try await erase { !$1.attachments.isEmpty }
  }

  mutating func eraseImported() async throws -> String? {
    let files = files
    return try await erase { talk, entry in
      files.contains { $0.session == talk.session.id && entry.position ?? .max < $0.entries }
    }
  }

  mutating func eraseAttachment() async throws -> String? {
    let found = try await choose { talk in
      try await talk.session.attachments().filter { $0.state != .erased }
    }
    guard let (talk, attachment) = found else { return nil }
    try await talk.session.erase(attachment)
    return "'\(attachment.label)' of \(talk.name)"
  }
}
