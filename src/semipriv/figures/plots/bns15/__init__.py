"""Plots of the studies of BNS15."""
