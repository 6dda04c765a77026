"""Studies, figures, negative controls and claims of BNS15."""
