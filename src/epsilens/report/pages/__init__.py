"""The report of every command: which words, charts and tables stand on its page, in the order of reading."""
