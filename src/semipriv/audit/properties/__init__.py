"""Properties that every plug-in must have, as tests: a new file in a room is picked up by itself."""
