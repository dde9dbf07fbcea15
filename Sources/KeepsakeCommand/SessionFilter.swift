import Keepsake

extension Declaration.Option {
  /// Conditions on sessions; each one that is given must hold.
  static let filters: [Declaration.Option] = [
    .init(name: "--since", value: "TIME", help: "With an entry of that time or later: 7d."),
    .init(name: "--until", value: "TIME", help: "Whose newest entry is from before that time."),
    .init(name: "--tool", value: "NAME", help: "That call this tool."),
    .init(name: "--model", value: "NAME", help: "That this model answered last."),
    .init(name: "--origin", value: "NAME", help: "That came from there: a format's name."),
    .init(name: "--tag", value: "TAG", help: "With this tag."),
    .init(
      name: "--has", value: "KIND",
      help: "With an artifact of this kind: image, audio, video, or a media type."),
  ]
}

extension Arguments {
  /// The conditions on sessions that are given.
  func filter(in context: Context) throws -> Session.Filter {
    let now = context.now()
    return Session.Filter(
      since: try date("--since", now: now), until: try date("--until", now: now),
      model: value("--model"), tool: value("--tool"), tag: value("--tag"),
      origin: value("--origin"), has: value("--has"))
  }
}
