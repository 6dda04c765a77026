"""Measures of BNS15."""
