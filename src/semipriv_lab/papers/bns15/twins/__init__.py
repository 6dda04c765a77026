"""Broken twins of BNS15."""
