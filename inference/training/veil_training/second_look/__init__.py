"""The second look: a small network that sees every proposal of the first one as a crop and says what it is."""
