"""Figures of BNS15."""
