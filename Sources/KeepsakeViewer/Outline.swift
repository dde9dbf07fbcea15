import Keepsake

/// The list of a session's prompts, by which readers find their way.
struct Outline: Sendable {
  /// The number of prompts in the list. A list of more is no help, and a page holds it in memory.
  static let limit = 2000

  private(set) var prompts: [(position: Int, text: String)] = []
  /// The number of all prompts.
  private(set) var count = 0

  /// Notes an entry, if it is a prompt with anything to read.
  mutating func add(_ entry: Entry) {
    guard entry.kind == .prompt, !entry.isErased, let position = entry.position else { return }
    count += 1
    guard prompts.count < Self.limit else { return }
    // Marks of Markdown say nothing in a list.
    let text = Phrase.excerpt(
      String(entry.text.prefix(400).filter { !"*`#>".contains($0) }), limit: 80)
    prompts.append((position, text.isEmpty ? "Prompt \(count), without text" : text))
  }

  /// The list as HTML; nothing where there are fewer than two prompts.
  var html: HTML {
    var html = HTML()
    if count < 2 { return html }
    html.markup(
      """
      <nav class="outline" aria-label="Prompts">
      <details><summary><span class="title">Prompts</span> <span class="count">
      """)
    html.text(count.grouped)
    html.markup("</span></summary>\n<ol>\n")
    for prompt in prompts {
      html.markup("<li>")
      html.element("a", ["href": "#entry-\(prompt.position)", "dir": "auto"], text: prompt.text)
      html.markup("</li>\n")
    }
    html.markup("</ol>\n")
    if count > prompts.count {
      html.element("p", ["class": "note"], text: "and \((count - prompts.count).grouped) more")
    }
    html.markup("</details></nav>\n")
    return html
  }
}
