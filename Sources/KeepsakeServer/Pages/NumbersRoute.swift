#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeHTTP
import KeepsakeViewer

/// The page `/numbers`: what the store holds, what it saved, and what the answers took.
struct NumbersRoute: Route {
  let endpoint = Endpoint(
    .get, "/numbers", "What the store holds, and what answers took", answer: .page)

  /// The number of days of the chart.
  private static let days = 90

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let store = server.store
    let found = try await store.statistics()
    let since = server.now.addingTimeInterval(-Double(Self.days) * 86_400)
    let days = try await store.usage(by: .day { _ in 0 }, since: since)
    let models = try await store.usage(by: .model)
    let tools = try await store.usage(by: .tool)
    return Shell(title: "Numbers", place: .numbers).answer { html in
      html.markup("<h1>Numbers</h1>")
      Self.tiles(found, to: &html)
      DayChart(shares: days, end: server.now, count: Self.days).write(to: &html)
      Self.usage("Models", models, to: &html)
      Self.usage("Tools that answers called", tools.filter { $0.name != nil }, to: &html)
      if !found.types.isEmpty {
        html.markup("<h2>Artifacts by type</h2>")
        BarTable(
          headings: ["Type", "Artifacts", "Size"],
          rows: found.types.map {
            .init(
              name: $0.name, address: Address.with("/gallery", [("type", $0.name)]),
              values: [$0.artifacts.grouped, Phrase.size($0.bytes)], share: Double($0.bytes))
          }
        ).write(to: &html)
      }
    }
  }

  private static func tiles(_ found: StoreStatistics, to html: inout HTML) {
    html.markup("<dl class=\"tiles\">")
    for (name, value) in [
      ("Conversations", found.sessions.grouped), ("Entries", found.entries.grouped),
      ("Artifacts", found.artifacts.grouped), ("Their bytes", Phrase.size(found.artifactBytes)),
      ("Not stored twice", Phrase.size(found.savedBytes)),
      ("Database", Phrase.size(found.databaseBytes)),
    ] {
      html.markup("<div class=\"tile\">")
      html.element("dt", text: name)
      html.element("dd", text: value)
      html.markup("</div>")
    }
    html.markup("</dl>")
  }

  private static func usage(_ title: String, _ shares: [Usage.Share], to html: inout HTML) {
    if shares.isEmpty { return }
    html.element("h2", text: title)
    BarTable(
      headings: ["", "Answers", "Read", "Written", "Cost"],
      rows: shares.prefix(50).map { share in
        .init(
          name: share.name ?? "unknown",
          values: [
            share.total.entries.grouped, share.total.input.grouped, share.total.output.grouped,
            share.total.costs.map { "\($0.amount) \($0.currency)" }.joined(separator: ", "),
          ], share: Double(share.total.input + share.total.output))
      }
    ).write(to: &html)
  }
}

/// The tokens of each day as bars.
private struct DayChart {
  let shares: [Usage.Share]
  let end: Date
  let count: Int

  private static let height = 120.0
  private static let step = 8.0

  func write(to html: inout HTML) {
    let tokens = Dictionary(
      shares.compactMap { share in share.name.map { ($0, share.total.input + share.total.output) }
      },
      uniquingKeysWith: +)
    let days = (0..<count).reversed().map {
      Phrase.day(end.addingTimeInterval(-Double($0) * 86_400))
    }
    let most = days.compactMap { tokens[$0] }.max() ?? 0
    guard most > 0 else { return }
    html.markup("<figure class=\"chart\"><h2>Tokens by day</h2>")
    html.begin(
      "svg",
      [
        "viewBox": "0 0 \(Int(Double(count) * Self.step)) 140", "role": "img",
        "aria-label": "Tokens by day, at most \(most.grouped)",
      ])
    for (index, day) in days.enumerated() {
      guard let number = tokens[day], number > 0 else { continue }
      let height = max(1, Double(number) / Double(most) * Self.height)
      html.begin(
        "rect",
        [
          "x": BarTable.rounded(Double(index) * Self.step), "width": "6", "rx": "1",
          "y": BarTable.rounded(Self.height - height), "height": BarTable.rounded(height),
        ])
      html.element("title", text: "\(day): \(number.grouped) tokens")
      html.end("rect")
    }
    html.markup("<text x=\"0\" y=\"136\">")
    html.text(days.first ?? "")
    html.markup("</text>")
    html.begin(
      "text", ["x": "\(Int(Double(count) * Self.step))", "y": "136", "text-anchor": "end"])
    html.text(days.last ?? "")
    html.end("text")
    html.markup("</svg></figure>")
  }
}
