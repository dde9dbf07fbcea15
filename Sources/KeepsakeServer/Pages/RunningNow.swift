#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeHTTP
import KeepsakeViewer

/// The drafts that stream and the tools that run in a session, below its entries.
struct RunningNow {
  private let drafts: [[UInt8]]
  private let runs: [Invocation]

  init(of session: Session) async throws {
    let place = EntryRange.place(of: session)
    drafts = try await session.drafts().map { session.drawing(of: $0, in: place) }
    runs = try await session.invocations(running: true)
  }

  func write(to html: inout HTML) {
    for run in runs {
      html.markup("<div class=\"run\">")
      html.element("bdi", ["class": "tool"], text: Phrase.excerpt(run.name, limit: 80))
      html.begin(
        "progress",
        ["id": "run-\(run.id.uuidString.lowercased())", "max": "1", "aria-label": "Progress"])
      html.end("progress")
      html.markup("<span class=\"note\"></span></div>")
    }
    for draft in drafts { html.drawn(draft) }
  }
}

/// What streams and runs in a session, for a page that shows it.
struct NowRoute: Route {
  let endpoint = Endpoint(.get, "/s/{session}/now", "What streams and runs now", answer: .page)

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    let now = try await RunningNow(of: try await request.session(in: server.store))
    return Shell.part { now.write(to: &$0) }
  }
}
