"""Setting up a server's repository, and looking a server or a clone over. Nothing here judges, or runs what was pushed."""
