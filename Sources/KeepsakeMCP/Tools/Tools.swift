import Keepsake

/// The tools, in the order in which they are always listed: clients keep what models read by its beginning.
enum Tools {
  static func offered(with options: MCPServer.Options) -> [any Tool] {
    let reading: [any Tool] = [
      SearchTool(), ListSessionsTool(), ReadSessionTool(), GetArtifactTool(), AuditArtifactTool(),
    ]
    let writing: [any Tool] = [
      AppendEntryTool(), AttachArtifactTool(takesFiles: options.filesFrom != nil),
    ]
    return options.allowsWrites ? reading + writing : reading
  }
}
