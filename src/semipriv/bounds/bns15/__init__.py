"""Sizes and bounds of BNS15."""
