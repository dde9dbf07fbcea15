import Keepsake
import KeepsakeHTTP

/// `GET /api/1/usage`: the tokens and costs of answers, summed up.
struct UsageAPI: Route {
  private static let groupings: KeyValuePairs<String, Usage.Grouping> = [
    "day": .day { _ in 0 }, "model": .model, "session": .session, "tool": .tool,
    "origin": .origin,
  ]

  let endpoint = Endpoint(
    .get, "/api/1/usage", "Sum up the tokens and costs of answers",
    query: [
      .init("by", .choice(groupings.map(\.key)), "What is added up; a day is one of UTC."),
      .init("since", .time, "Only answers of that time or later."),
      .init("until", .time, "Only answers from before that time."),
    ], answer: .json(.usage))

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let by = try request.choice("by") ?? "day"
    guard let grouping = Self.groupings.first(where: { $0.key == by })?.value else {
      throw Problem.invalid("'by' is no grouping.")
    }
    let shares = try await server.store.usage(
      by: grouping, since: try request.time("since"), until: try request.time("until"))
    return .json(to: request.http.head) { writer in
      writer.beginObject()
      writer.fixed("by", by)
      writer.key("usage")
      writer.array(shares) { $1.write($0) }
      writer.endObject()
    }
  }
}
