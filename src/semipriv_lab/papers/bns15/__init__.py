"""Studies, figures, twins and claims of BNS15."""
