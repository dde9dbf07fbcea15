import KeepsakeFiles
import KeepsakeHTTP
import KeepsakeViewer

/// The style sheets and scripts of the pages, which are a part of the program.
struct AssetRoute: Route {
  let endpoint = Endpoint(.get, "/assets/{name}", "A style sheet or a script", answer: .file)

  /// An asset with its tag and type.
  private struct Asset {
    let bytes: [UInt8]
    let type: String
    let tag: HTTPTag?

    init(_ bytes: [UInt8], type: String) {
      self.bytes = bytes
      self.type = type
      tag = HTTPTag(String(SHA256.digest(of: bytes).hex.prefix(32)))
    }
  }

  private static let style = "text/css; charset=utf-8"
  private static let script = "text/javascript; charset=utf-8"

  private static let all: [String: Asset] = [
    "page.css": Asset(PageAssets.style, type: style),
    "viewer.js": Asset(PageAssets.script, type: script),
    "app.css": Asset(PackageResources.app_css, type: style),
    "acting.js": Asset(PackageResources.acting_js, type: script),
    "base.js": Asset(PackageResources.base_js, type: script),
    "find.js": Asset(PackageResources.find_js, type: script),
    "keys.js": Asset(PackageResources.keys_js, type: script),
    "list.js": Asset(PackageResources.list_js, type: script),
    "live.js": Asset(PackageResources.live_js, type: script),
    "outline.js": Asset(PackageResources.outline_js, type: script),
    "page.js": Asset(PackageResources.page_js, type: script),
    "ranges.js": Asset(PackageResources.ranges_js, type: script),
    "search.js": Asset(PackageResources.search_js, type: script),
    "session.js": Asset(PackageResources.session_js, type: script),
  ]

  func answer(_ request: Request, in server: ServerState) async throws -> HTTPResponse {
    guard let asset = Self.all[request.names["name"] ?? ""] else { throw Problem.notFound() }
    return HTTPContent(
      .bytes(asset.bytes), tag: asset.tag,
      fields: ["Content-Type": asset.type, "Cache-Control": "private, no-cache"]
    ).response(to: request.http.head).gzipped(for: request.http.head)
  }
}
