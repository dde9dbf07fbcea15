/// All routes of the server. A new one is a file and a line here.
enum Routes {
  static let all: [any Route] = pages + parts + api

  private static let pages: [any Route] = [
    HomeRoute(), SearchRoute(), SessionRoute(), StoryRoute(), GalleryRoute(), ToolsRoute(),
    ToolRoute(), NumbersRoute(), BytesRoute(), CoverRoute(), AssetRoute(), ExportRoute(),
    RevisionsRoute(),
  ]

  private static let parts: [any Route] = [
    EventsRoute(), SessionEventsRoute(), EntriesRoute(), NowRoute(), TitleRoute(), RowRoute(),
  ]

  private static let api: [any Route] = [
    SessionsAPI(), SessionCreationAPI(), SessionAPI(), SessionChangeAPI(), SessionDeletionAPI(),
    MetadataAPI(), ForkAPI(), ForksAPI(), EntriesAPI(), AppendAPI(), EntryAPI(), RevisionsAPI(),
    AttachmentsAPI(), AttachAPI(), InvocationsAPI(), SessionAuditAPI(), SessionEventsAPI(),
    SearchAPI(), TagsAPI(), ArtifactsAPI(), ArtifactBytesAPI(), UploadAPI(), ArtifactAuditAPI(),
    ToolArtifactsAPI(), StatisticsAPI(), UsageAPI(), StoreEventsAPI(), DescriptionAPI(),
    MCPRoute(),
  ]
}
