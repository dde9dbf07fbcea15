import Keepsake

/// The command `keepsake artifacts`, which lists the images, sounds and files of a store.
struct ArtifactsCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "artifacts",
    summary: "List artifacts, the newest first: type, size, pixels, uses, and what made them.",
    discussion: """
      Other commands take ARTIFACT as the digest in the first column, as a unique beginning of it,
      or as SESSION/LABEL, such as last/image_1.
      """,
    examples: [
      ("keepsake artifacts", "List the newest."),
      ("keepsake artifacts --type audio", "List sound only."),
      ("keepsake artifacts --json --limit 1000", "The same as JSON."),
    ],
    isPaged: true)

  let type = Option(
    "--type", value: "KIND", as: .text,
    help: "Only artifacts of this kind: image, audio, video, or a media type.")
  let page = PageParameters<Artifact.Cursor>(of: "artifacts", limit: 50)

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let page = try await context.withStore(arguments, for: .reading) { store in
      try await store.artifacts(
        ofType: arguments.type, limit: arguments.page.limit, after: arguments.page.after)
    }
    let now = context.now()
    try ListPage(page.artifacts, next: page.next) { $1.write($0) }.print(
      arguments.page, context.terminal, nothing: "No artifacts.",
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
