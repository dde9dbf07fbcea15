import Keepsake
import KeepsakeHTTP
import KeepsakeViewer

/// The page of what an entry said before: each version, and what was changed in it.
struct RevisionsRoute: Route {
  let endpoint = Endpoint(
    .get, "/s/{session}/revisions/{position}", "What an entry said before", answer: .page)

  /// An entry as it was for a while.
  private struct Version {
    let name: String
    let entry: Entry
  }

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let session = try await request.session(in: server.store)
    let position = try request.position()
    let summary = try await session.summary()
    guard position < summary.entries else {
      throw Problem.notFound("There is no entry at that position.")
    }
    let revisions = try await session.revisions(of: position)
    let current = try await session.entry(at: position)
    let versions =
      revisions.map { Version(name: "until \(Phrase.time($0.replaced))", entry: $0.entry) }
      + [Version(name: "now", entry: current)]
    return Shell(title: "Entry \(position)").answer { html in
      html.markup("<p class=\"crumb\">")
      html.element(
        "a", ["href": Address.session(summary.id, at: position), "dir": "auto"],
        text: Phrase.excerpt(summary.name ?? "Without a title", limit: 120))
      html.markup("</p>")
      html.element("h1", text: "What entry \(position) said")
      if revisions.isEmpty {
        html.markup("<p class=\"empty\">It was never changed.</p>")
      }
      html.markup("<ol class=\"versions\" reversed>")
      for index in versions.indices.reversed() {
        Self.write(versions[index], after: index > 0 ? versions[index - 1] : nil, to: &html)
      }
      html.markup("</ol>")
    }
  }

  private static func write(_ version: Version, after old: Version?, to html: inout HTML) {
    html.begin("li")
    html.element("h2", text: version.name)
    var facts = [version.entry.kind.name, version.entry.model].compactMap { $0 }
    if version.entry.status != .complete { facts.append(version.entry.status.rawValue) }
    html.element("p", ["class": "note", "dir": "auto"], text: facts.joined(separator: " · "))
    if version.entry.isErased {
      html.markup("<p class=\"note\">The content of this version was erased.</p>")
    } else {
      html.element("div", ["class": "diff", "dir": "auto"]) { html in
        let text = Self.text(of: version.entry)
        guard let old, !old.entry.isErased else { return html.text(text) }
        for piece in TextDiff(from: Self.text(of: old.entry), to: text).pieces {
          switch piece {
          case .same(let text): html.text(text)
          case .removed(let text): html.element("del", text: text)
          case .added(let text): html.element("ins", text: text)
          }
        }
      }
    }
    html.end("li")
  }

  /// The text of an entry, with the calls that it has.
  private static func text(of entry: Entry) -> String {
    ([entry.text] + entry.toolCalls.map { "\($0.tool) \($0.arguments)" })
      .filter { !$0.isEmpty }.joined(separator: "\n")
  }
}
