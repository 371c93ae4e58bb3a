"""Everything that is kept: tables, the writer, reads, the news of commits. What others use of it is in `work`."""
