"""Session files on disk: found, framed, decoded, followed and put into a tree; it judges nothing."""
