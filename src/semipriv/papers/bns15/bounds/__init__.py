"""BNS15: sizes and bounds."""
