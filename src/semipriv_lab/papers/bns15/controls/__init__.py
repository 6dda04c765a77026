"""Negative controls of BNS15."""
