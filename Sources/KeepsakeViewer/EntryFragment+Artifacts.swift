import KeepsakeFiles
import Keepsake

extension EntryFragment {
  /// Writes the attachments of an entry that did not stand in its text.
  mutating func attachments(of entry: Entry) {
    let named = postponed
    postponed = []
    let rest = entry.attachments.filter {
      $0.direction != .content && !state.used.contains($0.recording)
    }
    let written = Set(rest.map(\.recording))
    loose(
      rest
        + named.filter { attachment in
          !written.contains(attachment.recording)
            && attachment.artifact.map { state.shown[$0.id] == nil } ?? false
        })
  }

  /// Writes attachments that stand in no text.
  mutating func loose(_ attachments: [Entry.Attachment]) {
    if attachments.isEmpty { return }
    html.begin("div", ["class": "artifacts"])
    for attachment in attachments { artifact(attachment) }
    html.end("div")
  }

  /// Writes an attachment: its artifact where the artifact has its place, and elsewhere a link to that place.
  ///
  /// The bytes of each artifact stand once on a page. An image is a plain `img` element, because only that follows a
  /// photo's orientation, and can be saved and read aloud by the browsers of the future.
  mutating func artifact(_ attachment: Entry.Attachment, alt: String? = nil) {
    state.use(attachment)
    guard let artifact = attachment.artifact else { return absent(attachment) }
    let anchor = context.place.anchor(of: artifact.id, at: position)
    guard isHome(of: artifact.id), state.show(artifact.id, as: anchor) else {
      return chip(attachment)
    }
    let display = ArtifactDisplay(
      of: artifact, declared: attachment.mediaType, in: context.place,
      unreadable: state.unreadable[artifact.id])
    switch display {
    case .shown(let type): media(attachment, artifact, as: type, alt: alt)
    case .saved(let why): card(attachment, artifact, why: why, isSaved: true)
    case .named(let why): card(attachment, artifact, why: why, isSaved: false)
    }
  }

  private func isHome(of artifact: Artifact.ID) -> Bool {
    guard let home = context.homes[artifact], let position else { return true }
    return home <= position
  }

  /// Writes a link to the place where an artifact is shown.
  mutating func chip(_ attachment: Entry.Attachment) {
    guard let artifact = attachment.artifact else { return absent(attachment) }
    html.element("a", ["class": "chip", "href": "#\(anchor(of: artifact.id))"]) {
      $0.element("bdi", ["class": "label"], text: attachment.label)
      guard let caption = attachment.caption else { return }
      $0.markup(" ")
      $0.element("bdi", text: Phrase.excerpt(caption, limit: 60))
    }
  }

  /// The id of the element that shows an artifact, here or further down.
  func anchor(of artifact: Artifact.ID) -> String {
    state.shown[artifact]
      ?? context.place.anchor(of: artifact, at: context.homes[artifact] ?? position)
  }

  // MARK: - Shapes

  private mutating func media(
    _ attachment: Entry.Attachment, _ artifact: Artifact, as type: EmbeddedType, alt: String?
  ) {
    let anchor = anchor(of: artifact.id)
    let name = Self.description(of: attachment, alt: alt)
    // Spans are used because they may stand inside of a paragraph.
    html.begin(
      "span", ["class": "artifact", "id": anchor, "role": "figure", "aria-label": attachment.label])
    switch type {
    case .image:
      html.begin(
        "a", ["class": "zoom", "href": "#\(anchor)", "title": "Enlarge", "draggable": "false"])
      begin(
        "img",
        [
          "alt": name, "width": artifact.pixelSize.map { String($0.width) },
          "height": artifact.pixelSize.map { String($0.height) }, "loading": "lazy",
          "decoding": "async",
        ], of: artifact, as: type, in: "src")
      html.end("a")
      html.begin(
        "a",
        [
          "class": "enlarge", "id": "large-\(anchor)", "href": "#large-\(anchor)",
          "aria-label": "Enlarge \(attachment.label)",
        ])
      html.end("a")
    case .audio:
      begin(
        "audio", ["controls": "", "preload": "none", "aria-label": name], of: artifact, as: type,
        in: "src")
      html.end("audio")
    case .video:
      begin(
        "video", ["controls": "", "preload": "none", "playsinline": "", "aria-label": name],
        of: artifact, as: type, in: "src")
      html.end("video")
    case .file: break
    }
    html.begin("span", ["class": "caption"])
    facts(attachment, artifact)
    html.end("span")
    guard case .image = type else { return html.end("span") }
    html.element(
      "a", ["class": "close", "href": position.map { "#entry-\($0)" } ?? "#conversation"],
      text: "Close")
    // In the gallery, a link to itself: what is not shown is not scrolled to, and the gallery stays where it was.
    html.element(
      "a", ["class": "close shut", "id": "shut-\(anchor)", "href": "#shut-\(anchor)"],
      text: "Close")
    html.end("span")
  }

  /// Writes the start of an element that has an artifact's bytes, or the URL from which they are served.
  private mutating func begin(
    _ name: StaticString, _ attributes: HTML.Attributes, of artifact: Artifact,
    as type: EmbeddedType, in attribute: StaticString
  ) {
    if let url = context.place.url(of: artifact.id) {
      html.begin(name, attributes, url: url, in: attribute)
    } else {
      html.begin(name, attributes, bytesOf: artifact, as: type, in: attribute)
    }
  }

  private mutating func facts(_ attachment: Entry.Attachment, _ artifact: Artifact) {
    html.element("bdi", ["class": "label"], text: attachment.label)
    for caption in attachment.captions {
      html.markup(" ")
      html.element("bdi", ["class": "said-of-it"], text: Phrase.excerpt(caption.text, limit: 500))
    }
    let facts = [
      artifact.sniffedType.essence, artifact.pixelSize?.description, Phrase.size(artifact.size),
    ].compactMap { $0 }
    if attachment.state != .present {
      html.markup(" ")
      html.element("span", ["class": "mark"], text: attachment.state.rawValue)
    }
    html.markup(" ")
    html.element(
      "span", ["class": "facts", "title": artifact.id.description],
      text: facts.joined(separator: " · "))
  }

  private mutating func card(
    _ attachment: Entry.Attachment, _ artifact: Artifact, why: String?, isSaved: Bool
  ) {
    html.begin("span", ["class": "card", "id": anchor(of: artifact.id)])
    html.element(
      "bdi", ["class": "name"],
      text: Phrase.excerpt(attachment.fileName ?? attachment.label, limit: 120))
    html.begin("span", ["class": "caption"])
    facts(attachment, artifact)
    html.end("span")
    if let declared = attachment.mediaType, declared != artifact.sniffedType {
      html.element("span", ["class": "facts"]) {
        $0.markup("declared ")
        $0.element("bdi", text: Phrase.excerpt(declared.description, limit: 80))
      }
    }
    html.element("code", ["class": "digest"], text: artifact.id.description)
    if let why { html.element("span", ["class": "note"], text: why) }
    if isSaved {
      let name = attachment.safeFileName
      begin(
        "a", ["class": "save", "download": name, "rel": "noopener noreferrer"], of: artifact,
        as: .file, in: "href")
      html.markup("Save ")
      html.element("bdi", text: name)
      html.end("a")
    }
    html.end("span")
  }

  /// Writes an attachment without bytes.
  private mutating func absent(_ attachment: Entry.Attachment) {
    html.begin("span", ["class": "card absent"])
    html.element(
      "bdi", ["class": "name"],
      text: Phrase.excerpt(attachment.fileName ?? attachment.label, limit: 120))
    html.element("span", ["class": "caption"]) {
      $0.element("bdi", ["class": "label"], text: attachment.label)
      guard let caption = attachment.caption else { return }
      $0.markup(" ")
      $0.element("bdi", text: Phrase.excerpt(caption, limit: 500))
    }
    html.element("span", ["class": "note"], text: attachment.state.sentence)
    if let reference = attachment.reference {
      html.element("code", ["class": "reference"]) {
        $0.element("bdi", text: Phrase.excerpt(reference, limit: 400))
      }
    }
    html.end("span")
  }

  private static func description(of attachment: Entry.Attachment, alt: String?) -> String {
    let alt = alt.flatMap { $0.isEmpty ? nil : $0 }
    let name = attachment.caption ?? alt ?? attachment.fileName ?? "\(attachment.label), no caption"
    return Phrase.excerpt(name, limit: 500)
  }
}

extension Entry.Attachment.State {
  /// A sentence that says whether the bytes are there, and why not.
  var sentence: String {
    switch self {
    case .present: "Its bytes are in the store."
    case .pending: "Pending: its bytes were promised and have not come yet."
    case .failed: "Failed: its bytes never came."
    case .missing: "Missing: its source named it and did not have its bytes."
    case .remote: "Remote: its bytes are elsewhere, and were not fetched."
    case .superseded: "Superseded: another attempt took its place."
    case .erased: "Erased: its bytes were removed for good."
    }
  }
}
