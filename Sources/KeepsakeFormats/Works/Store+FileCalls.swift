#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Keepsake

extension Store {
  /// Finds the tool calls in all sessions that write or make a file, by the file's path.
  ///
  /// A relative path in a call counts where the file's path ends with it and the file shows that the call made its
  /// content. The file itself may no longer exist. The search index finds the calls with the file's name in their
  /// arguments, of which a few thousand are looked at.
  /// - Parameter file: The file.
  /// - Returns: The calls that were found.
  /// - Throws: `KeepsakeError`, when the store or the file can't be read.
  @concurrent
  public func calls(naming file: URL) async throws -> FileCalls {
    let sought = SoughtFile(file.absoluteURL.path)
    var found = FileCalls()
    guard let query = try? SearchQuery("\"\(sought.lastName.filter { $0 != "\"" })\"") else {
      return found
    }
    let (sessions, hasMore) = try await positions(query)
    found.hasMore = hasMore
    for (id, positions) in sessions {
      let session = try await session(id)
      let answers = try await session.answers()
      let outputs = Dictionary(grouping: answers.keys) { answers[$0]?.position }
      var namings = FileNamings(answers: answers)
      for position in positions.sorted() {
        try Task.checkCancellation()
        namings.add(try await session.entry(at: position))
        for output in outputs[position] ?? [] {
          namings.add(try await session.entry(at: output))
        }
      }
      let fitting = try namings.all.compactMap { naming in
        let basis = try sought.basis(of: naming)
        let fit = sought.fit(naming.work.path)
        return fit == .whole || fit == .end && basis != nil ? (naming, basis) : nil
      }
      found.calls += try await session.calls(of: fitting)
    }
    return found
  }

  private static let mostHits = 5000

  /// The positions of tool calls that match a query, by session. The session with the newest match comes first.
  private func positions(_ query: SearchQuery) async throws
    -> (sessions: [(id: UUID, positions: [Int])], hasMore: Bool)
  {
    var sessions: [(id: UUID, positions: [Int])] = []
    var places: [UUID: Int] = [:]
    var cursor: SearchCursor?
    var count = 0
    repeat {
      let page = try await search(
        query, in: .init(kinds: [.toolCalls]), order: .newest, limit: 500, after: cursor)
      for hit in page.hits {
        let place = places[hit.session] ?? sessions.count
        if place == sessions.count {
          sessions.append((hit.session, []))
          places[hit.session] = place
        }
        sessions[place].positions.append(hit.position)
      }
      count += page.hits.count
      cursor = page.next
    } while cursor != nil && count < Self.mostHits
    return (sessions, cursor != nil)
  }
}

extension Session {
  /// The session's tool calls that write or make files, in order.
  ///
  /// The whole session is read. Files are not looked at, so no call has a basis.
  /// - Throws: `KeepsakeError`, when the session can't be read.
  @concurrent
  public func callsNamingFiles() async throws -> [FileCalls.Call] {
    var namings = FileNamings(answers: try await answers())
    for try await entry in entries { namings.add(entry) }
    return try await calls(of: namings.all.map { ($0, nil) })
  }

  fileprivate func calls(of namings: [(FileNamings.Naming, Entry.Attachment.Basis?)]) async throws
    -> [FileCalls.Call]
  {
    if namings.isEmpty { return [] }
    let title = try await summary().title
    var prompts: [Int: Audit.Occurrence.Prompt?] = [:]
    var calls: [FileCalls.Call] = []
    for (naming, basis) in namings {
      if let turn = naming.turn, prompts[turn] == nil {
        prompts[turn] = .some(try await prompt(ofTurn: turn))
      }
      calls.append(
        FileCalls.Call(
          session: id, title: title, position: naming.position, ordinal: naming.ordinal,
          id: naming.call.id, tool: naming.call.tool, path: naming.work.path,
          deed: .init(naming.work.deed), created: naming.began, basis: basis,
          prompt: naming.turn.flatMap { prompts[$0] ?? nil }))
    }
    return calls
  }
}
