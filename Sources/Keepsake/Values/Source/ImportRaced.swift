/// An error that says that somebody changed what an import was compared with, so that it has to be compared again.
struct ImportRaced: Error {}
