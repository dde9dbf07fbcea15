import Keepsake
import KeepsakeHTTP
import KeepsakeViewer

/// The page `/tools`: the tools, and how much each one made.
struct ToolsRoute: Route {
  let endpoint = Endpoint(.get, "/tools", "The tools, and what each one made", answer: .page)

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let found = try await server.store.statistics()
    return Shell(title: "Tools", place: .tools).answer { html in
      html.markup("<h1>Tools</h1>")
      guard !found.tools.isEmpty else {
        return html.markup("<p class=\"empty\">No tool made anything yet.</p>")
      }
      BarTable(
        headings: ["Tool", "Artifacts", "Size"],
        rows: found.tools.map { share in
          .init(
            name: share.name,
            address: "/tools/\(Address.escaped(share.name))",
            values: [share.artifacts.grouped, Phrase.size(share.bytes)],
            share: Double(share.artifacts))
        }
      ).write(to: &html)
    }
  }
}
