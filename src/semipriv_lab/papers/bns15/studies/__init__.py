"""Studies of the claims of BNS15."""
