"""One session's life while it is served: events of the host in, directives out."""
