import KeepsakeHTTP
import KeepsakeViewer

/// The frame of every page: its head, the bar with search and places, and the dialogs.
struct Shell: Sendable {
  /// The name of the page, before the name of the program.
  let title: String
  /// The place of the bar that the page belongs to.
  var place: Place?
  /// The text of the search field.
  var query = ""
  /// The classes of the main element.
  var layout: String?
  /// The kind of events that the page follows.
  var live: String?
  /// The module of the page, beside the one of all pages.
  var script: String?

  /// A place in the bar.
  enum Place: String, CaseIterable {
    case conversations = "/"
    case gallery = "/gallery"
    case tools = "/tools"
    case numbers = "/numbers"

    var name: String {
      switch self {
      case .conversations: "Conversations"
      case .gallery: "Gallery"
      case .tools: "Tools"
      case .numbers: "Numbers"
      }
    }
  }

  /// Answers with a page whose main part the closure writes.
  func answer(status: HTTPStatus = .ok, _ main: (inout HTML) throws -> Void) rethrows
    -> HTTPResponse
  {
    var html = HTML()
    head(&html)
    bar(&html)
    html.begin("main", ["id": "main", "class": layout])
    try main(&html)
    html.end("main")
    foot(&html)
    return Self.answer(html, status: status)
  }

  /// Answers with a part of a page, which a script of ours puts into it.
  static func part(_ write: (inout HTML) throws -> Void) rethrows -> HTTPResponse {
    var html = HTML()
    try write(&html)
    return answer(html)
  }

  private static func answer(_ html: HTML, status: HTTPStatus = .ok) -> HTTPResponse {
    HTTPResponse(
      status,
      [
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": SecurityFields.pagePolicy,
      ], body: .bytes(html.bytes))
  }

  private func head(_ html: inout HTML) {
    html.markup(
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
      <link rel="icon" href="data:,">
      <link rel="stylesheet" href="/assets/page.css">
      <link rel="stylesheet" href="/assets/app.css">
      <script defer src="/assets/viewer.js"></script>
      <script type="module" src="/assets/page.js"></script>

      """)
    if let script { html.element("script", ["type": "module", "src": script]) }
    html.element("title", text: "\(Phrase.excerpt(title, limit: 200)) – Keepsake")
    html.markup("\n</head>\n")
    html.begin("body", ["class": "app", "data-live": live])
  }

  private func bar(_ html: inout HTML) {
    html.markup(
      """
      <a class="skip" href="#main">Skip to the content</a>
      <header class="topbar"><a class="wordmark" href="/">Keepsake</a>
      <form role="search" action="/search"><label class="aside" for="q">Search all conversations</label>
      """)
    html.begin(
      "input",
      [
        "id": "q", "name": "q", "type": "search", "placeholder": "Search everything",
        "autocomplete": "off", "spellcheck": "false", "value": query, "maxlength": "1000",
      ])
    html.markup("<kbd aria-hidden=\"true\">/</kbd></form><nav aria-label=\"Places\">")
    for place in Place.allCases {
      html.element(
        "a", ["href": place.rawValue, "aria-current": place == self.place ? "page" : nil],
        text: place.name)
    }
    html.markup("</nav>")
    if live != nil {
      html.markup("<span id=\"live\" role=\"status\"><span>connecting</span></span>")
    }
    html.markup("</header>\n")
  }

  private func foot(_ html: inout HTML) {
    html.markup(
      """

      <div id="told" role="status" aria-live="polite"></div>
      <dialog id="large" aria-label="The image, large"></dialog>
      <dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2><dl>
      <dt><kbd>/</kbd></dt><dd>Search all conversations</dd>
      <dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>The next, or the one before</dd>
      <dt><kbd>Enter</kbd></dt><dd>Open it</dd>
      <dt><kbd>f</kbd></dt><dd>Find in a conversation</dd>
      <dt><kbd>g</kbd> <kbd>h</kbd></dt><dd>Go to the conversations</dd>
      <dt><kbd>g</kbd> <kbd>g</kbd></dt><dd>Go to the gallery</dd>
      <dt><kbd>g</kbd> <kbd>t</kbd></dt><dd>Go to the tools</dd>
      <dt><kbd>g</kbd> <kbd>n</kbd></dt><dd>Go to the numbers</dd>
      <dt><kbd>?</kbd></dt><dd>These keys</dd>
      </dl><form method="dialog"><div class="choices"><button>Close</button></div></form></dialog>
      </body>
      </html>

      """)
  }
}
