/// An open store, as the artifacts know it that came from it: they hold it, and ask nothing of it.
///
/// The store itself stands on a floor above, where artifacts are read.
protocol ArtifactStore: AnyObject, Sendable {}
