"""The self-contained page: one offline file with words, charts and the dial."""
