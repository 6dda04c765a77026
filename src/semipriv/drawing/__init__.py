"""Pictures: their look, what must fit, and how they are written; the library's and the laboratory's alike."""
