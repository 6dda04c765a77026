"""What a release publishes: model, certificate, limits, and their check."""
