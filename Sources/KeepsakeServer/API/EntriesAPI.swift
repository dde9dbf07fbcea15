import Keepsake
import KeepsakeHTTP

/// `GET /api/1/sessions/{session}/entries`: entries of a session, in their order.
///
/// A page says where the next one begins and the one before ends, so that a program goes through a session from either side.
struct EntriesAPI: Route {
  let endpoint = Endpoint(
    .get, "/api/1/sessions/{session}/entries", "Read entries of a session, in their order",
    query: [
      .init("from", .position, "The first position; without it the newest entries are read."),
      .init("before", .position, "Only entries before this position, the nearest of them."),
      .init("limit", .number(1...1000, usual: 50), "The most entries."),
    ],
    answer: .json(
      .object([
        .init("entries", .array(.entry)), .init("next", .nullable(.string)),
        .init("previous", .nullable(.string)),
      ])))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let session = try await request.session(in: server.store)
    let limit = try request.number("limit")
    let entries: [Entry]
    switch (try request.position("from"), try request.position("before")) {
    case (let from?, nil): entries = try await session.entries(after: from - 1, count: limit)
    case (nil, let before?): entries = try await session.entries(before: before, count: limit)
    case (nil, nil): entries = try await session.entries(last: limit)
    case (_?, _?):
      throw Problem.invalid("'from' and 'before' don't go together. Give one of them.")
    }
    let count = try await session.standing().entries
    let first = entries.first?.position.flatMap { $0 > 0 ? "\($0)" : nil }
    let next = entries.last?.position.flatMap { $0 + 1 < count ? "\($0 + 1)" : nil }
    return .json(to: request.http.head) { writer in
      writer.beginObject()
      writer.key("entries")
      writer.array(entries) { $1.raw($0.json) }
      writer.fixed("next", next)
      writer.fixed("previous", first)
      writer.endObject()
    }
  }
}
