"""Learning from few labelled and many unlabelled private examples: BNS15's algorithms and their sizes."""
