"""Query release of BNS15."""
