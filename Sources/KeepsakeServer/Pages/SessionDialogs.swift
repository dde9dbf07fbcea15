import Keepsake
import KeepsakeViewer

/// The dialogs in which a person changes a conversation.
struct SessionDialogs {
  let summary: Session.Summary

  func write(to html: inout HTML) {
    dialog("rename", "Rename", &html) { html in
      Self.field("Title", "title", summary.title, &html)
    }
    dialog("tag", "Tags", &html) { html in
      Self.field(
        "Words, with blanks between them", "tags", summary.tags.joined(separator: " "), &html)
    }
    dialog("fork", "Fork", &html) { html in
      html.markup(
        "<p>A fork shares the entries before a position, and goes on by itself. Nothing is copied.</p>"
      )
      Self.field("Before entry", "before", "\(summary.entries)", &html)
      Self.field("Title", "title", nil, &html)
    }
    dialog("remove", "Delete", isDangerous: true, &html) { html in
      html.element("p", text: "This deletes \(consequences). It can't be undone.")
      html.markup(
        "<p class=\"note\">Artifacts that no other conversation has go with it. Forks keep what they share.</p>"
      )
    }
  }

  private var consequences: String {
    var parts = [Phrase.count(summary.entries, "entry", "entries")]
    if summary.attachments > 0 { parts.append(Phrase.count(summary.attachments, "attachment")) }
    parts.append(Phrase.size(summary.bytes))
    return parts.joined(separator: ", ")
  }

  private static func field(
    _ label: String, _ name: String, _ value: String?, _ html: inout HTML
  ) {
    html.begin("label")
    html.text("\(label) ")
    html.begin(
      "input",
      ["type": "text", "name": name, "value": value, "maxlength": "1000", "autocomplete": "off"])
    html.end("label")
  }

  private func dialog(
    _ name: String, _ title: String, isDangerous: Bool = false, _ html: inout HTML,
    _ content: (inout HTML) -> Void
  ) {
    html.begin("dialog", ["id": name, "aria-labelledby": "\(name)-title"])
    html.element("h2", ["id": "\(name)-title"], text: title)
    html.begin("form", ["data-act": name])
    content(&html)
    html.markup("<div class=\"choices\"><button type=\"button\" data-close>Cancel</button>")
    html.element("button", ["class": isDangerous ? "danger" : "main"], text: title)
    html.markup("</div>")
    html.end("form")
    html.end("dialog")
  }
}
