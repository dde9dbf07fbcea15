import Keepsake

/// `keepsake artifacts`: what a store keeps of images, sound and files.
struct ArtifactsCommand: Command {
  static let declaration = Declaration(
    name: "artifacts",
    summary: "List artifacts, the newest first: type, size, pixels, uses, and what made them.",
    discussion: """
      ARTIFACT, as other commands take it, is the digest that stands first, any unique beginning of
      it, or SESSION/LABEL: last/image_1.
      """,
    options: [
      .init(
        name: "--type", value: "KIND",
        help: "Of this kind: image, audio, video, or a media type.")
    ] + Declaration.Option.paging(of: "artifacts", limit: 50),
    examples: [
      ("keepsake artifacts", "List the newest."),
      ("keepsake artifacts --type audio", "Sound alone."),
      ("keepsake artifacts --json --limit 1000", "The same as JSON."),
    ],
    isPaged: true)

  func run(_ arguments: Arguments, in context: Context) async throws -> ExitCode {
    let limit = try arguments.number("--limit") ?? 50
    let type = arguments.value("--type")
    let cursor = try arguments.cursor(Artifact.Cursor.self)
    let page = try await context.withStore(arguments, for: .reading) { store in
      try await store.artifacts(ofType: type, limit: limit, after: cursor)
    }
    let now = context.now()
    try ListPage(page.artifacts, next: page.next) { $1.write($0) }.print(
      arguments, context.terminal, nothing: "No artifacts.",
      columns: [
        .init(heading: "ARTIFACT", style: .code), .init(heading: "TYPE", gives: true),
        .init(heading: "SIZE", isNumber: true), .init(heading: "PIXELS", isNumber: true, leaves: 3),
        .init(heading: "USES", isNumber: true, leaves: 4),
        .init(heading: "AGE", isNumber: true, leaves: 5, style: .faint),
        .init(heading: "MADE BY", leaves: 2), .init(heading: "STATE", leaves: 1),
      ]
    ) { artifact in
      [
        Words.short(artifact.id), (artifact.mediaType ?? artifact.sniffedType).description,
        Words.size(artifact.size), artifact.pixelSize?.description ?? "", "\(artifact.uses)",
        Words.age(of: artifact.created, at: now), artifact.tool ?? "",
        artifact.state == .present ? "" : artifact.state?.rawValue ?? "unused",
      ]
    }
    return .done
  }
}
