import Foundation

@testable import Keepsake

/// Foreign files that are imported, grow, and part ways.
extension RandomHistory {
  /// A file as it was when it was imported last.
  struct ForeignFile {
    let name: String
    /// The session's id in the program that wrote the file; nil if the file has none.
    let foreignID: String?
    var lines: [String]
    var session: UUID
    /// The number of entries that the session had right after the import.
    var entries: Int

    var source: ForeignSource {
      LineFormat.source(lines.joined(), name: name, foreignID: foreignID)
    }
  }

  private mutating func line(_ kind: Entry.Kind) -> String {
    let key = name("line").replacing(" ", with: "-")
    if chance(25) { return "\(key)|\(kind)|@\(Data(bytes()).base64EncodedString())\n" }
    return "\(key)|\(kind)|\(text())\n"
  }

  private mutating func lines() -> [String] {
    (0..<number(1...4)).map { line($0.isMultiple(of: 2) ? .prompt : .response) }
      + (chance(30) ? ["# \(text())\n"] : [])
  }

  /// Imports a file, and remembers it together with its session.
  private mutating func take(
    _ file: ForeignFile, on store: Store, into session: Session? = nil
  ) async throws -> (ImportReport.ImportedSession, Talk)? {
    let report = try await store.importing(file.source, into: session)
    guard let imported = report.sessions.first else { return nil }
    var file = file
    file.session = imported.id
    file.entries = imported.entries
    files.removeAll { $0.session == imported.id }
    files.append(file)
    if let known = talks.first(where: { $0.session.id == imported.id }) { return (imported, known) }
    return (imported, add(try await store.session(imported.id)))
  }

  mutating func importFile(on store: Store) async throws -> String? {
    guard hasRoomForAnother else { return nil }
    let file = ForeignFile(
      name: name("talk") + ".lines", foreignID: chance(40) ? name("foreign") : nil,
      lines: ["# \(text())\n", line(.prompt)] + lines(), session: UUID(), entries: 0)
    guard let (imported, talk) = try await take(file, on: store) else { return nil }
    return "\(file.name) as \(talk.name), \(imported.added) entries"
  }

  mutating func importAgain(on store: Store) async throws -> String? {
    guard hasRoom, let file = one(of: files) else { return nil }
    let report = try await store.importing(file.source)
    return "\(file.name), \(report.sessions.map(\.added)) entries"
  }

  /// The files whose sessions are as the import left them, so that what follows in the file follows in the session.
  private func continued() async throws -> [ForeignFile] {
    var found: [ForeignFile] = []
    for file in files {
      guard let talk = talks.first(where: { $0.session.id == file.session }),
        try await talk.session.count() == file.entries
      else { continue }
      found.append(file)
    }
    return found
  }

  mutating func importGrown(on store: Store) async throws -> String? {
    guard hasRoom, var file = one(of: try await continued()) else { return nil }
    file.lines += lines()
    guard let (imported, talk) = try await take(file, on: store) else { return nil }
    if imported.new { actual = .importParted }
    return "\(file.name) in \(talk.name), \(imported.added) entries"
  }

  /// Imports a file that begins as another one did, and goes its own way from some line on.
  mutating func importParted(on store: Store) async throws -> String? {
    guard hasRoom, var file = one(of: files) else { return nil }
    let last = file.lines.lastIndex { $0.contains("|response|") } ?? 0
    guard last > 1 else { return nil }
    file.lines[number(2...last)...] = [line(.response)] + lines()
    guard let (imported, talk) = try await take(file, on: store) else { return nil }
    if !imported.new { actual = .importGrown }
    return "\(file.name) as \(talk.name), \(imported.added) entries"
  }

  /// Imports a file in which one entry says something else than its session does.
  mutating func importRevised(on store: Store) async throws -> String? {
    var possible: [(ForeignFile, Session)] = []
    for file in try await continued() {
      guard let talk = talks.first(where: { $0.session.id == file.session }),
        talk.session.lineage.shared.isEmpty,
        try await !talk.session.entries.all().contains(where: \.isErased)
      else { continue }
      possible.append((file, talk.session))
    }
    guard let (found, session) = one(of: possible) else { return nil }
    var file = found
    let changing = file.lines.indices.filter {
      !file.lines[$0].contains("@") && file.lines[$0].contains("|")
    }
    guard let index = one(of: changing), let bar = file.lines[index].lastIndex(of: "|") else {
      return nil
    }
    file.lines[index] = file.lines[index][...bar] + text() + "\n"
    guard let (imported, talk) = try await take(file, on: store, into: session) else { return nil }
    if imported.revised == 0 { actual = .importAgain }
    return "\(file.name) in \(talk.name), \(imported.revised) entries"
  }
}
