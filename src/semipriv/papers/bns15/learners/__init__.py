"""Learners of BNS15."""
